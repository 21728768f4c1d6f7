package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.session.SessionImpl;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What both ends of a transfer have in common: a number, a user and one end. */
abstract class BulkTransfer {
  private static final int MOST_TEXT = 1000;

  final SessionImpl session;
  final TransferHandle handle;
  final long id;
  private boolean peerWaits = true;

  BulkTransfer(SessionImpl session, TransferHandle handle, long id) {
    this.session = session;
    this.handle = handle;
    this.id = id;
    handle.endedBy(this::fail);
  }

  /** Returns whether it has ended, well or not; memory may still be waited for. */
  public abstract boolean isOver();

  /** It is over from now on, and its session hears of it. */
  abstract void ends(boolean well);

  /** Returns whether the peer is there, and does not know of an end yet. */
  final boolean peerWaits() {
    return peerWaits;
  }

  /** The peer was told how it ends, and waits no more. */
  final void peerKnows() {
    peerWaits = false;
  }

  /**
   * Returns whether the sender says when all is written: to tell a checksum that is compared, or
   * where there is no byte whose arrival would end it.
   */
  static boolean endsBySent(boolean checked, long length) {
    return checked || length == 0;
  }

  /** Ends it for a reason of this end's, unless it is over; then it does nothing. */
  public final void fail(RpcStatus status, String why) {
    fail(status, why, null, true);
  }

  /** More of it may be ready, stored, fenced or opened: it goes on. */
  abstract void moves();

  /** Where it comes from can give no more, or where it goes can take no more. */
  void broken(Throwable cause) {
    fail(TransferProblem.statusOf(cause), TransferProblem.wordsOf(cause), cause, true);
  }

  /**
   * Ends it, unless it is over, or has to see first whether it is whole.
   *
   * @param tellPeer whether there is a peer, which does not know yet
   */
  final void fail(RpcStatus status, String why, @Nullable Throwable cause, boolean tellPeer) {
    if (isOver()) {
      return;
    }
    peerWaits &= tellPeer;
    if (putsOff(() -> fail(status, why, cause, tellPeer))) {
      return;
    }
    ends(false);
    if (peerWaits) {
      String told = TransferProblem.toldToPeer(why, cause);
      String words = told.length() <= MOST_TEXT ? told : told.substring(0, MOST_TEXT) + "…";
      refuse(session, id, status, wellFormed(words));
    }
    failed(
        new TransferException(status, handle.object(), handle.whence(), confirmed(), why, cause));
  }

  /** Has the peer give up what it would send, or what it asks for. */
  static void refuse(SessionImpl session, long id, RpcStatus status, String why) {
    session.sendBulk(
        FrameKind.BULK_CANCEL,
        id,
        out -> {
          out.writeByte(status.code());
          out.writeString(why);
        });
  }

  /** Half a surrogate pair cannot be encoded: it becomes a '?'. */
  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  final void cancelledByPeer(RpcStatus status, String why) {
    fail(status, "on the other end: " + why, null, false);
  }

  final void succeeded() {
    ends(true);
  }

  /** Keeps a failure for later, where it cannot be told yet whether it is one; else false. */
  boolean putsOff(Runnable failing) {
    return false;
  }

  /** Returns what the receiving end has confirmed. */
  abstract long confirmed();

  /** Frees what can be freed, the rest when it can, and tells the user. */
  abstract void failed(TransferException failure);

  abstract void pathClosed(BulkPath path);
}
