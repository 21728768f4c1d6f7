package io.verbena.core.transfer;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.session.SessionImpl;
import org.jspecify.annotations.Nullable;

/**
 * What both ends of a transfer have in common: its number, its user and its end.
 *
 * <pre>
 *   under way ──{@link #proceed}──→ under way         whenever a piece may be read, sent or stored
 *       │
 *       ├── all bytes are confirmed ──→ {@link #end}(true)                     by the subclass
 *       └── {@link #fail} ──┬─→ {@link #postpone}d: all bytes may be here; fails later, or never
 *                  └─→ {@link #end}(false), {@link #refuse} if the peer waits, {@link #release}
 * </pre>
 *
 * <p>After {@link #end} the transfer {@linkplain #isOver is over} for its session. Its user's
 * future completes later, when the adapter can no longer touch the user's memory. On the loop.
 */
abstract class BulkTransfer {
  private static final int MOST_TEXT = 1000;

  final SessionImpl session;

  /** Has the object's name for logs and failures, and tells the user of progress. */
  final TransferHandle handle;

  final long id;

  /** Whether this end began it. A push may have a number that its receiver chose. */
  final boolean begunHere;

  /** Whether the peer is connected and does not know yet that the transfer has ended. */
  boolean peerWaits = true;

  BulkTransfer(SessionImpl session, TransferHandle handle, long id, boolean begunHere) {
    this.session = session;
    this.handle = handle;
    this.id = id;
    this.begunHere = begunHere;
    handle.endedBy(this::fail);
  }

  /** Returns whether the transfer has ended, well or not. Memory may still be in use. */
  public abstract boolean isOver();

  /**
   * Marks the transfer as over and calls {@link Transfers#ended}, through which every transfer goes
   * at its end.
   */
  abstract void end(boolean well);

  /**
   * Returns whether the sender announces that all bytes are written. It does so to send a checksum,
   * and for an object without bytes, because no arrival would end that.
   */
  static boolean endsBySent(boolean checked, long length) {
    return checked || length == 0;
  }

  /** Fails the transfer for a reason of this end. Does nothing if the transfer is over. */
  public final void fail(RpcStatus status, String why) {
    fail(status, why, null, true);
  }

  /**
   * Continues the transfer. More bytes may be ready or stored, and memory may have been fenced or
   * opened.
   */
  abstract void proceed();

  /** Fails the transfer because its source cannot be read, or its destination cannot be written. */
  void broken(Throwable cause) {
    fail(TransferProblem.statusOf(cause), TransferProblem.wordsOf(cause), cause, true);
  }

  /**
   * Fails the transfer. Does nothing if it is over; may be postponed until it is known whether the
   * object is complete.
   *
   * @param tellPeer whether there is a peer that does not know yet
   */
  final void fail(RpcStatus status, String why, @Nullable Throwable cause, boolean tellPeer) {
    if (isOver()) {
      return;
    }
    peerWaits &= tellPeer;
    if (postpone(() -> fail(status, why, cause, tellPeer))) {
      return;
    }
    end(false);
    if (peerWaits) {
      String told = TransferProblem.toldToPeer(why, cause);
      refuse(session, id, status, SessionImpl.shortened(told, MOST_TEXT));
    }
    release(new TransferException(status, handle.object, handle.whence(), confirmed(), why, cause));
  }

  /** Asks the peer to stop sending, or to stop waiting for, an object. */
  static void refuse(SessionImpl session, long id, RpcStatus status, String why) {
    session.sendBulk(
        FrameKind.BULK_CANCEL,
        id,
        out -> {
          out.writeByte(status.code());
          out.writeString(why);
        });
  }

  /**
   * Keeps a failure for later, because it is not known yet whether the object is complete. Returns
   * false if it is known: the transfer fails now.
   */
  boolean postpone(Runnable failing) {
    return false;
  }

  /** Returns how many bytes the receiver has confirmed. */
  abstract long confirmed();

  /** Releases memory: at once if unused, else when it is fenced. Then fails the user's future. */
  abstract void release(TransferException failure);

  /** A path of the session is closed: no piece comes or goes by it any more. */
  abstract void pathClosed(BulkPath path);
}
