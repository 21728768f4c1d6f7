/**
 * Large objects: what both ends of a session do to move one, over whatever paths the session has
 * meanwhile. The receiving end opens memory and grants it, the sending end writes into what it was
 * granted, and only what the receiving end confirmed counts. Everything runs on the session's event
 * loop, but what reads and writes files or sums and copies memory, which the engine's {@link
 * io.verbena.core.loop.Workers} do, and what calls users' code: that runs on the users' executor,
 * unless a push handler says that it is non-blocking.
 *
 * <p>In here is what all transfers have: the seam to their session ({@link
 * io.verbena.core.bulk.BulkHost}), what the sessions of one client or server share ({@link
 * io.verbena.core.bulk.BulkContext}), and a link as they use it ({@link
 * io.verbena.core.bulk.BulkPath}). The rooms, each of which knows those before it alone:
 *
 * <pre>
 *   stat           values for users: what goes on; what it costs, and which way follows from that
 *   work           other threads, waiting for others, and why something cannot go on
 *   memory         pooled memory and its checksum
 *   source         what users send and publish, opened
 *   (this one)
 *   supply         the sender's side of bytes:   source → pieces that a path writes
 *   destination    the receiver's side of bytes: memory that is open to the sender → object, file
 *   parts          the large values of a message, at either end
 *   transfer       the transfers of a session, and the frames between them
 * </pre>
 */
@NullMarked
package io.verbena.core.bulk;

import org.jspecify.annotations.NullMarked;
