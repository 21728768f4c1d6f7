package io.verbena.core.transfer;

import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.bulk.BulkPath;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where an object on its way in goes. On the loop, but {@link #prepare}. */
abstract class Destination {
  /** Null before there is one. */
  private volatile @Nullable BulkTransfer owner;

  /** Tells whoever watches a landing of its transfer; returns the landing that it is besides. */
  static Landing watched(Landing landing, Transfer transfer) {
    if (landing instanceof Landing.Watched(Landing inner, Consumer<? super Transfer> watcher)) {
      watcher.accept(transfer);
      return watched(inner, transfer);
    }
    return landing;
  }

  /** A transfer goes here from now on. */
  final void belongsTo(BulkTransfer owner) {
    this.owner = owner;
  }

  /** Has its owner go on: {@link #next} may have memory again, or what was under way is done. */
  final void moves() {
    BulkTransfer hears = owner;
    if (hears != null) {
      hears.moves();
    }
  }

  final void broken(Throwable cause) {
    BulkTransfer hears = owner;
    if (hears != null) {
      hears.broken(cause);
    }
  }

  /** Returns how many bytes of memory it holds without moving on; 0 while it waits for more. */
  long takes() {
    return 0;
  }

  /** Returns the longest object that it takes. */
  abstract long capacity();

  /** Returns whether it can be prepared on the loop, for any object of up to so many bytes. */
  abstract boolean isQuicklyPrepared(long length);

  /**
   * Claims what an object of this length needs, all of it or nothing. On any thread; may block.
   *
   * @param checksum when a checksum will be asked for
   * @throws Exception says why it cannot
   */
  abstract void prepare(long length, Checksum checksum) throws Exception;

  /**
   * Returns what it has of such an object from before, if it is summed and can be gone on with by
   * another transfer; null if not. Once it is prepared.
   */
  @Nullable Beginning beginning() {
    return null;
  }

  /** What it has from before is of another object; hears what went wrong, or null. */
  void beginAgain(Consumer<@Nullable Throwable> then) {
    then.accept(null);
  }

  /**
   * Returns memory for what comes from this offset on; null while there is none.
   *
   * @param most so many bytes at most; less than {@link BulkPath#PIECE_BYTES} where pieces are
   *     dealt out to several paths
   */
  abstract @Nullable LandingPiece next(long offset, long most);

  /**
   * Makes a piece shorter, where a path has no room for all of it; false if it is not worth opening
   * in parts.
   *
   * @param last the latest that {@link #next} returned; not opened
   */
  boolean halves(LandingPiece last) {
    return false;
  }

  /**
   * Takes a piece back that is not opened, the latest one; {@link #next} is asked again from where
   * it began.
   */
  abstract void takeBack(LandingPiece last);

  /** More of a piece has arrived, which stays as it is unless its sender breaks the protocol. */
  void arrives(LandingPiece piece) {}

  /** A piece is full, and nothing writes into it any more. */
  abstract void filled(LandingPiece piece);

  /** The transfer failed: what is not under way elsewhere is not begun any more. */
  void giveUp() {}

  /**
   * Returns whether all that was filled has been stored, or is not to be any more, and nothing is
   * under way elsewhere.
   */
  abstract boolean isIdle();

  /**
   * Returns whether all that has arrived is where it belongs, and nothing of this end's can fail
   * it: then its sender need not wait until it is fenced off.
   */
  boolean isInPlace() {
    return false;
  }

  /**
   * All of the object is stored: checks it and brings it to its end.
   *
   * @param expected what its checksum must be; null: none
   * @param then hears what went wrong, or null
   */
  abstract void finish(long length, @Nullable Integer expected, Consumer<@Nullable Throwable> then);

  abstract Received received(long length);

  /**
   * The transfer failed, nothing writes here any more and nothing is under way: frees all.
   *
   * @param keep whether what has come may be of use to another transfer
   * @param then hears that all is free
   */
  abstract void discard(boolean keep, Runnable then);

  /**
   * Returns whether it is the user's: memory, a file or a consumer. He must not hear of a failure
   * before it is free.
   */
  abstract boolean isUsers();

  /**
   * What came before.
   *
   * @param length how much; 0: nothing
   * @param crc its checksum
   */
  record Beginning(long length, int crc) {}
}
