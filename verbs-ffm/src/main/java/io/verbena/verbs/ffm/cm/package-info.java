/**
 * The connection manager: event channels, connection ids and their events.
 *
 * <p>Owns the ids of a channel. Called by applications through DiSNI's types and the extension
 * interfaces, on any thread; waits have a time limit and end when their channel is destroyed.
 */
@NullMarked
package io.verbena.verbs.ffm.cm;

import org.jspecify.annotations.NullMarked;
