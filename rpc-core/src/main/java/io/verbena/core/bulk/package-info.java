/**
 * Large objects: what both ends of a session do to move one, over whatever paths the session has
 * meanwhile. The receiving end opens memory and grants it, the sending end writes into what it was
 * granted, and only what the receiving end confirmed counts. Everything runs on the session's event
 * loop, but what reads and writes files or sums and copies memory, which the engine's {@link
 * io.verbena.core.loop.Workers} do, and what calls users' code: that runs on the users' executor,
 * unless a push handler says that it is non-blocking.
 *
 * <p>In here is what lies below a session: a link as bulk uses it ({@link
 * io.verbena.core.bulk.BulkPath}), what the sessions of one client or server share ({@link
 * io.verbena.core.bulk.BulkContext}), pooled memory and its checksum, what users send and publish,
 * opened, the threads that do what would hold up a loop, and why work cannot go on, as a status and
 * words for either end. Two rooms beside it:
 *
 * <pre>
 *   stat       values for users: what goes on; what it costs, and which way follows from that
 *   transfer   the transfers of a session: one machine that sends, and one that receives
 * </pre>
 */
@NullMarked
package io.verbena.core.bulk;

import org.jspecify.annotations.NullMarked;
