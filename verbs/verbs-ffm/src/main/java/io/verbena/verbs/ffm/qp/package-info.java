/**
 * Queue pairs, shared receive queues, and the requests that are posted to them.
 *
 * <p>Applications call the package on any thread. A block belongs to one thread at a time. The
 * connection manager connects and destroys queue pairs.
 */
@NullMarked
package io.verbena.verbs.ffm.qp;

import org.jspecify.annotations.NullMarked;
