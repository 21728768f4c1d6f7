package io.verbena.core.transfer;

import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.RunOn;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The destination of an arriving object. On the loop, except for {@link #prepare}. */
abstract class Destination {
  /** Null before there is a transfer. */
  private volatile @Nullable BulkTransfer owner;

  /**
   * Passes the transfer to the observer of a watched landing, and returns the landing without its
   * observer.
   */
  static Landing watched(Landing landing, Transfer transfer) {
    if (landing instanceof Landing.Watched(Landing inner, Consumer<? super Transfer> watcher)) {
      watcher.accept(transfer);
      return watched(inner, transfer);
    }
    return landing;
  }

  final void setOwner(BulkTransfer owner) {
    this.owner = owner;
  }

  /**
   * Lets the owner continue. {@link #next} may have memory again, or a task elsewhere has ended.
   */
  final void letOwnerProceed() {
    BulkTransfer hears = owner;
    if (hears != null) {
      hears.proceed();
    }
  }

  final void broken(Throwable cause) {
    BulkTransfer hears = owner;
    if (hears != null) {
      hears.broken(cause);
    }
  }

  /**
   * Returns how many bytes of memory the destination holds while it makes no progress; 0 while it
   * waits for more.
   */
  long takes() {
    return 0;
  }

  /** Returns the length of the longest object that fits. */
  abstract long capacity();

  /** Returns whether the loop may call {@link #prepare}, for any object of at most this length. */
  abstract boolean isQuicklyPrepared(long length);

  /** Returns the threads for {@link #prepare}, where the loop may not call it. */
  abstract RunOn preparedBy();

  /**
   * Claims everything that an object of this length needs, or nothing. On any thread; may block.
   *
   * @param checksum when a checksum is wanted
   * @throws Exception the reason why the destination cannot take the object
   */
  abstract void prepare(long length, Checksum checksum) throws Exception;

  /**
   * Returns the bytes of such an object that an earlier transfer left, if their checksum is known
   * and another transfer can resume after them. Otherwise null. Requires {@link #prepare}.
   */
  @Nullable Beginning beginning() {
    return null;
  }

  /**
   * Discards the beginning, which belongs to another object. The callback takes the failure, or
   * null.
   */
  void beginAgain(Consumer<@Nullable Throwable> then) {
    then.accept(null);
  }

  /**
   * Returns memory for the bytes from this offset; null while there is none.
   *
   * @param most the length limit; less than {@link BulkPath#PIECE_BYTES} if several paths share the
   *     pieces
   */
  abstract @Nullable LandingPiece next(long offset, long most);

  /**
   * Shortens a piece for which a path has no room. Returns false if half of it is too short to be
   * opened.
   *
   * @param last the latest result of {@link #next}, not opened
   */
  boolean halves(LandingPiece last) {
    return false;
  }

  /**
   * Takes back the latest piece, which was not opened. The next call of {@link #next} begins at the
   * same offset.
   */
  abstract void takeBack(LandingPiece last);

  /**
   * Notes that more bytes of a piece have arrived. They stay unchanged unless the sender breaks the
   * protocol.
   */
  void noteArrival(LandingPiece piece) {}

  /** Takes a full piece that nothing writes into any more. */
  abstract void filled(LandingPiece piece);

  /** Notes that the transfer failed. No new task is started elsewhere. */
  void giveUp() {}

  /**
   * Returns whether every full piece has been stored, or will never be, and no task runs elsewhere.
   */
  abstract boolean isIdle();

  /**
   * Returns whether all arrived bytes are in their final place, and nothing at this end can fail
   * the object. Then the sender need not wait until it is fenced.
   */
  boolean isInPlace() {
    return false;
  }

  /**
   * Checks and completes the object. All of it is stored.
   *
   * @param expected the checksum that it must have; null: none
   * @param then takes the failure, or null
   */
  abstract void finish(long length, @Nullable Integer expected, Consumer<@Nullable Throwable> then);

  abstract Received received(long length);

  /**
   * Frees everything. The transfer failed, nothing writes here any more and no task runs elsewhere.
   *
   * @param keep whether another transfer may use the arrived bytes
   * @param then runs when everything is free
   */
  abstract void discard(boolean keep, Runnable then);

  /** Returns whether this is pooled memory, so that other pooled memory does as well. */
  boolean isPooled() {
    return false;
  }

  /**
   * Returns whether this is memory, a file or a consumer of the user, who may learn of a failure
   * only when it is free.
   */
  abstract boolean isUsers();

  /**
   * The bytes that an earlier transfer left.
   *
   * @param length their number; 0: none
   * @param crc their checksum
   */
  record Beginning(long length, int crc) {}
}
