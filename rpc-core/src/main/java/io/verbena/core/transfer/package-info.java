/**
 * The transfers of a session: offers, requests, grants and confirmations, their frames, and the
 * continuation after a change of path. The session drives this package on its loop. Users see
 * {@link io.verbena.core.transfer.SessionObjects} and {@link
 * io.verbena.core.transfer.TransferHandle}, on any thread.
 *
 * <pre>
 *   out:  OpenSource → Supply, pieces that a path writes → OutgoingTransfer → frames and bytes
 *   in:   frames and bytes → IncomingTransfer → GrantedPieces, memory that is open → Destination
 * </pre>
 */
@NullMarked
package io.verbena.core.transfer;

import org.jspecify.annotations.NullMarked;
