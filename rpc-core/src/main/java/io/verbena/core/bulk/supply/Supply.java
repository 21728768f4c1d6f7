package io.verbena.core.bulk.supply;

import io.verbena.core.bulk.BulkHost;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.bulk.memory.Crc;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.work.TransferProblem;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gives a transfer its bytes, ready to be written. On the loop. */
public interface Supply {
  /**
   * Returns what supplies a source's bytes.
   *
   * @param readAhead where they are read into
   * @param checked whether a checksum of them is wanted
   */
  static Supply of(BulkHost host, ReadAhead readAhead, OpenSource source, boolean checked) {
    if (source instanceof OpenSource.InFile file && !checked) {
      return new FileSupply(host, readAhead, file);
    }
    if (source instanceof OpenSource.Joined(List<OpenSource> pieces) && !checked) {
      return new JoinedSupply(host, readAhead, pieces);
    }
    return from(host, readAhead, source, 0, isSummed(source, checked) ? new Crc() : null);
  }

  /**
   * Returns what supplies a source's bytes from somewhere on.
   *
   * @param crc of what is before, to be gone on with; null where no checksum is wanted
   */
  static Supply from(
      BulkHost host, ReadAhead readAhead, OpenSource source, long from, @Nullable Crc crc) {
    if (source instanceof OpenSource.InMemory memory
        && memory.memory().isNative()
        && (memory.life() == MemoryLife.HELD || memory.length() >= host.cutOffs().inPlace())) {
      return new MemorySupply(host, memory, crc != null);
    }
    return new StagedSupply(host, readAhead, source, crc, from);
  }

  /**
   * Returns whether a checksum of what goes is known. What is made once is summed unasked: the
   * receiver may ask when it is made.
   */
  static boolean isSummed(OpenSource source, boolean checked) {
    return checked || source instanceof OpenSource.Made;
  }

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
