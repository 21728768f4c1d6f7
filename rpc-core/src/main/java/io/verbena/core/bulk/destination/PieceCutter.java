package io.verbena.core.bulk.destination;

import io.verbena.core.bulk.BulkPath;
import io.verbena.link.BulkPort;
import io.verbena.link.MemoryLife;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Cuts memory into the pieces that it is opened in, since a path can hold open less than an object
 * has. Where there was no room for a long one the next is as short as is worth it, and from then on
 * each is twice as long.
 */
public final class PieceCutter {
  private long longest = BulkPath.PIECE_BYTES;

  /** Returns a piece from the beginning of what is left, which has at least 1 byte. */
  public LandingPiece cut(long offset, MemorySegment left, MemoryLife life) {
    LandingPiece piece = new LandingPiece(offset, left.asSlice(0, next(left)), life);
    longest = Math.min(2 * longest, BulkPath.PIECE_BYTES);
    return piece;
  }

  /** Returns how long the next piece will be. */
  public long next(MemorySegment left) {
    return Math.min(longest, left.byteSize());
  }

  /** Returns what takes the place of a piece that there was no room for; null if nothing does. */
  public @Nullable LandingPiece shorter(LandingPiece last) {
    longest = BulkPort.LEAST_PIECE_BYTES;
    return halved(last);
  }

  /** Returns a piece with half of what is still to arrive; null if it is not worth halving. */
  public static @Nullable LandingPiece halved(LandingPiece last) {
    return last.firstHalf(BulkPort.LEAST_PIECE_BYTES);
  }
}
