package io.verbena.core.transfer;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.RunOn;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.LinkException;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Gives a transfer its bytes, ready to be written. On the loop. */
abstract class Supply {
  /** Goes on when more may be ready, and is broken when there can be no more. */
  final BulkTransfer owner;

  final SessionImpl session;

  /** What reads its memory, or its file: reads and writes under way, and blocks that are filled. */
  private int uses;

  private boolean closed;
  private @Nullable Runnable whenFree;

  Supply(BulkTransfer owner) {
    this.owner = owner;
    this.session = owner.session;
  }

  /**
   * Begins.
   *
   * @param ahead whether memory may be claimed and read into now; else when the receiver has opened
   *     its own
   */
  abstract void begin(boolean ahead);

  /**
   * Returns how many bytes can be written now from here on, at most so many; 0 if none yet: the
   * owner hears when there are.
   *
   * @param at never before what was confirmed
   */
  abstract int ready(BulkPath path, long at, int most);

  /**
   * Returns whether bytes are ready there, though something before is not written yet: a path
   * beside the one that this waits for may take them.
   */
  abstract boolean hasReady(long at);

  /**
   * Writes bytes that are ready.
   *
   * @param whenOver runs when its memory is not read any more, be it that its link is gone
   */
  abstract SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, IOException, TransferProblem;

  /** Returns whether it keeps what it has written until that is confirmed. Always the same. */
  boolean keepsUnconfirmed() {
    return true;
  }

  /** Returns whether it can go on only when the receiver has confirmed all before here. */
  boolean waitsForConfirmation(long at) {
    return false;
  }

  void confirmed(long upTo) {}

  /** Returns the checksum of all; null while it is not known. */
  @Nullable Integer checksum() {
    return 0;
  }

  // ---- its end ----

  /**
   * Reads what is to be summed, or what a path had under way when it was closed: a link that cannot
   * read it is lost, and so would be each one after it.
   *
   * @param then runs where that went well, and it is not closed
   */
  final void readElsewhere(RunOn by, RunOn.Work read, Runnable then) {
    uses();
    by.run(
        session,
        read,
        failure -> {
          used();
          if (isClosed()) {
            return;
          }
          if (failure == null) {
            then.run();
          } else {
            owner.broken(failure);
          }
        });
  }

  /** No more is written; hears, maybe at once, when no memory of it is read any more. */
  final void close(Runnable then) {
    closed = true;
    whenFree = then;
    closes();
    freeIfUnused();
  }

  final boolean isClosed() {
    return closed;
  }

  /** One more reads it, until {@link #used}. */
  final void uses() {
    uses++;
  }

  final void used() {
    uses--;
    freeIfUnused();
  }

  private void freeIfUnused() {
    Runnable then = whenFree;
    if (then != null && uses == 0) {
      whenFree = null;
      free(then);
    }
  }

  void closes() {}

  /** It is closed, and has no uses any more: frees what it has, and then runs this. */
  void free(Runnable then) {
    then.run();
  }

  /**
   * What to write.
   *
   * @param at where in the object
   * @param targetAt where in the target
   * @param length how much
   * @param checkpoint whether the receiver must hear of it
   */
  record Piece(long at, long targetAt, int length, boolean checkpoint) {}
}
