/**
 * Queue pairs, shared receive queues, and everything that is posted to them.
 *
 * <p>Called by applications on any thread; a block belongs to one thread at a time. Connecting and
 * destroying queue pairs is the connection manager's.
 */
@NullMarked
package io.verbena.verbs.ffm.qp;

import org.jspecify.annotations.NullMarked;
