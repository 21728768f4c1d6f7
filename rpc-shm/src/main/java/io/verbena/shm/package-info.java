/**
 * The shared-memory link, which sessions between processes of one host and user upgrade to: a file
 * of {@code /dev/shm} that both ends map, and a Unix-domain socket that wakes a peer that sleeps
 * and tells of its death. Java alone: no native access, no flag of the JVM.
 *
 * <pre>
 *   active end                                         passive end
 *     loop ── frames, bulk ──→ ring ──────────────────→ loop
 *     loop ←────────────────── ring ←── frames, bulk ── loop
 *    waiter ←── a byte ─────── socket ──── a byte ────→ waiter     only where the loop sleeps
 * </pre>
 *
 * <p>A ring is a row of records. The first word of a record says its kind and length, and is
 * written last; the word behind it is 0 until there is a next record. So the reader needs one look
 * to see whether there is something, and gets the beginning of the record with it.
 *
 * <pre>
 *    8 bytes        length, rounded up to 8
 *   +--------------+------------------------------+---------------+----
 *   | kind, length | frame                        | kind, length  |
 *   +--------------+------------------------------+---------------+----
 *                  | target, offset, bulk bytes   |
 * </pre>
 *
 * <p>Nothing in a ring is believed: each word of it is read once and checked before it is used, and
 * a frame is copied to private memory before it is decoded.
 *
 * <p>Everything but the provider belongs to the thread that steps the event loop. The one other
 * thread is the driver's waiter, which reads the sockets.
 */
@NullMarked
package io.verbena.shm;

import org.jspecify.annotations.NullMarked;
