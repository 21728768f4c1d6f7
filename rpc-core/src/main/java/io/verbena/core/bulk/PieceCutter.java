package io.verbena.core.bulk;

import io.verbena.core.link.MemoryLife;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Cuts memory into the pieces that it is opened in, since a path can hold open less than an object
 * has. Where there was no room for a long one the next is as short as is worth it, and from then on
 * each is twice as long.
 */
final class PieceCutter {
  private long longest = Attached.PIECE_BYTES;

  /** Returns a piece from the beginning of what is left, which has at least 1 byte. */
  LandingPiece cut(long offset, MemorySegment left, MemoryLife life) {
    LandingPiece piece = new LandingPiece(offset, left.asSlice(0, next(left)), life);
    longest = Math.min(2 * longest, Attached.PIECE_BYTES);
    return piece;
  }

  /** Returns how long the next piece will be. */
  long next(MemorySegment left) {
    return Math.min(longest, left.byteSize());
  }

  /** Returns what takes the place of a piece that there was no room for; null if nothing does. */
  @Nullable LandingPiece shorter(LandingPiece last) {
    longest = Attached.LEAST_BYTES;
    return last.firstHalf(Attached.LEAST_BYTES);
  }
}
