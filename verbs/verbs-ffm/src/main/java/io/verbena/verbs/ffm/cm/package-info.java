/**
 * The connection manager: event channels, connection ids and their events.
 *
 * <p>The package owns the ids of a channel. Applications call it on any thread, through DiSNI's
 * types and the extension interfaces. Waits have a time limit, and end when their channel is
 * destroyed.
 */
@NullMarked
package io.verbena.verbs.ffm.cm;

import org.jspecify.annotations.NullMarked;
