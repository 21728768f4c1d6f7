/**
 * The shared-memory link, to which sessions between processes of one host and user upgrade. Both
 * ends map a file of {@code /dev/shm}. A Unix-domain socket wakes a sleeping peer, and shows its
 * death. It is plain Java, without native access and without a flag of the JVM.
 *
 * <pre>
 *   active end                                         passive end
 *     loop ── frames, bulk ──→ ring ──────────────────→ loop
 *     loop ←────────────────── ring ←── frames, bulk ── loop
 *   watcher ←── a byte ─────── socket ──── a byte ────→ watcher    only if the loop sleeps
 * </pre>
 *
 * <p>A ring is a row of records. The first word of a record says its kind and length, and is
 * written last. The word after the record is 0 until there is a next record. So the reader sees in
 * one read whether there is a record, and gets its beginning.
 *
 * <pre>
 *    8 bytes        length, rounded up to 8
 *   +--------------+------------------------------+---------------+----
 *   | kind, length | frame                        | kind, length  |
 *   +--------------+------------------------------+---------------+----
 *                  | target, offset, bulk bytes   |
 * </pre>
 *
 * <p>Nothing in a ring is trusted. Each word is read once and checked before it is used, and a
 * frame is copied to private memory before it is decoded.
 *
 * <p>Everything except the provider belongs to the thread that steps the event loop. The loop
 * watches the sockets itself. If it cannot, the driver's {@link io.verbena.shm.Waiter} watches them
 * in the only other thread.
 */
@NullMarked
package io.verbena.shm;

import org.jspecify.annotations.NullMarked;
