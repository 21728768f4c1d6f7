/**
 * The transfers of a session: who offers, asks, grants and confirms, by which frames, and how a
 * transfer goes on after a change of path. Driven by the session, on its loop; {@link
 * io.verbena.core.transfer.SessionObjects} and {@link io.verbena.core.transfer.TransferHandle} are
 * what users hold of it, on any thread.
 *
 * <pre>
 *   out:  OpenSource → Supply, pieces that a path writes → OutgoingTransfer → frames and bytes
 *   in:   frames and bytes → IncomingTransfer → GrantedPieces, memory that is open → Destination
 * </pre>
 */
@NullMarked
package io.verbena.core.transfer;

import org.jspecify.annotations.NullMarked;
