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

/** The source of a transfer's bytes. On the loop. */
abstract class Supply {
  /** Continues when more may be ready, and fails when there can be no more. */
  final BulkTransfer owner;

  final SessionImpl session;

  /** The users of the memory or file: reads, writes, and blocks that are being filled. */
  private int users;

  private boolean closed;
  private @Nullable Runnable whenFree;

  Supply(BulkTransfer owner) {
    this.owner = owner;
    this.session = owner.session;
  }

  /**
   * Begins.
   *
   * @param ahead whether memory may be claimed and filled now, instead of after the receiver has
   *     opened its own
   */
  abstract void begin(boolean ahead);

  /**
   * Returns how many bytes are ready to be written at this offset, up to the limit. After 0 the
   * owner continues when there are some.
   *
   * @param at never before the confirmed offset
   */
  abstract int ready(BulkPath path, long at, int most);

  /**
   * Returns whether bytes are ready at this offset, though earlier ones are not written yet.
   * Another path may take them.
   */
  abstract boolean hasReady(long at);

  /**
   * Writes bytes that are ready.
   *
   * @param whenOver runs when nothing reads their memory any more, which includes the loss of the
   *     link
   */
  abstract SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, IOException, TransferProblem;

  /** Returns whether written bytes are kept until they are confirmed. The answer never changes. */
  boolean keepsUnconfirmed() {
    return true;
  }

  /** Returns whether it can continue only after everything before this offset is confirmed. */
  boolean waitsForConfirmation(long at) {
    return false;
  }

  void confirmed(long upTo) {}

  /** Returns the checksum of all bytes; null while it is not known. */
  @Nullable Integer checksum() {
    return 0;
  }

  // ---- its end ----

  /**
   * Reads bytes for a checksum, or bytes that a path had under way when it was closed. A link that
   * cannot read them is lost, and so would be each later one.
   *
   * @param then runs after success, unless the supply is closed
   */
  final void readElsewhere(RunOn by, RunOn.Work read, Runnable then) {
    addUser();
    by.run(
        session,
        read,
        failure -> {
          removeUser();
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

  /** Stops. The callback runs when nothing reads its memory any more, maybe at once. */
  final void close(Runnable then) {
    closed = true;
    whenFree = then;
    onClose();
    freeIfUnused();
  }

  final boolean isClosed() {
    return closed;
  }

  /** Adds a user, until {@link #removeUser}. */
  final void addUser() {
    users++;
  }

  final void removeUser() {
    users--;
    freeIfUnused();
  }

  private void freeIfUnused() {
    Runnable then = whenFree;
    if (then != null && users == 0) {
      whenFree = null;
      free(then);
    }
  }

  void onClose() {}

  /** Frees everything and then runs the callback. The supply is closed and has no users. */
  void free(Runnable then) {
    then.run();
  }

  /**
   * A write.
   *
   * @param at the offset in the object
   * @param targetAt the offset in the target
   * @param length the number of bytes
   * @param checkpoint whether the receiver must be notified
   */
  record Piece(long at, long targetAt, int length, boolean checkpoint) {}
}
