/**
 * Large objects: the common work of both ends of a session to move one, over the paths that the
 * session has at that time. The receiver opens memory and grants it. The sender writes into granted
 * memory. Only bytes that the receiver has confirmed count. Everything runs on the session's event
 * loop, with two exceptions. The engine's {@link io.verbena.core.loop.Workers} read and write
 * files, and copy memory or compute its checksum. User code runs on the users' executor, unless a
 * push handler is non-blocking.
 *
 * <p>This package has the parts below a session: a link for large objects ({@link
 * io.verbena.core.bulk.BulkPath}), the common state of a client's or server's sessions ({@link
 * io.verbena.core.bulk.BulkContext}), pooled memory and checksums, opened sources, published
 * objects, the threads for work outside the loop, and the reasons of failures. Two packages beside
 * it:
 *
 * <pre>
 *   stat       values for users: transfers under way, their costs, and the cut-offs from these
 *   transfer   the transfers of a session: one machine that sends, and one that receives
 * </pre>
 */
@NullMarked
package io.verbena.core.bulk;

import org.jspecify.annotations.NullMarked;
