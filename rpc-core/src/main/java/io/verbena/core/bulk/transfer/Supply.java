package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.TransferProblem;
import io.verbena.link.LinkException;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Gives a transfer its bytes, ready to be written. On the loop. */
public interface Supply {
  /** Hears of what a supply does elsewhere. */
  interface Owner {
    /** More may be ready. */
    void suppliesMore();

    /** It can give no more. */
    void cannotSupply(Throwable cause);
  }

  /**
   * Begins.
   *
   * @param ahead whether memory may be claimed and read into now; else when the receiver has opened
   *     its own
   */
  void begin(Owner owner, boolean ahead);

  /**
   * Returns how many bytes can be written now from here on, at most so many; 0 if none yet: the
   * owner hears when there are.
   *
   * @param at never before what was confirmed
   */
  int ready(BulkPath path, long at, int most);

  /**
   * Returns whether bytes are ready there, though something before is not written yet: a path
   * beside the one that this waits for may take them.
   */
  default boolean hasReady(long at) {
    return false;
  }

  /**
   * Writes bytes that are ready.
   *
   * @param whenOver runs when its memory is not read any more, be it that its link is gone
   */
  SendResult write(BulkPath path, RemoteTarget target, Piece piece, Runnable whenOver)
      throws LinkException, IOException, TransferProblem;

  /** Returns whether it keeps what it has written until that is confirmed. Always the same. */
  default boolean keepsUnconfirmed() {
    return true;
  }

  /** Returns whether it can go on only when the receiver has confirmed all before here. */
  boolean waitsForConfirmation(long at);

  /** The receiver has so many. */
  void confirmed(long upTo);

  /** Returns the checksum of all; null while it is not known. */
  @Nullable Integer checksum();

  /** No more is written; hears, maybe at once, when no memory of it is read any more. */
  void close(Runnable whenFree);

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
