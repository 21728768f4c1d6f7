/**
 * The transfers of a session: who offers, asks, grants and confirms, by which frames, and how a
 * transfer goes on after a change of path. Driven by the session, on its loop; {@link
 * io.verbena.core.bulk.transfer.SessionObjects} and {@link
 * io.verbena.core.bulk.transfer.TransferHandle} are what users hold of it, on any thread.
 */
@NullMarked
package io.verbena.core.bulk.transfer;

import org.jspecify.annotations.NullMarked;
