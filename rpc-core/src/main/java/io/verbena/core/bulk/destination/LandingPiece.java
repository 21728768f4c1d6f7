package io.verbena.core.bulk.destination;

import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.MemoryLife;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory for a part of an object on its way in; open for the peer while there is a target. */
public final class LandingPiece {
  private final long offset;
  private final MemorySegment memory;
  final MemoryLife life;
  private long arrived;
  @Nullable BulkTarget target;
  @Nullable BulkRegion region;

  /**
   * A piece.
   *
   * @param offset where in the object it begins
   */
  public LandingPiece(long offset, MemorySegment memory, MemoryLife life) {
    this.offset = offset;
    this.memory = memory;
    this.life = life;
  }

  /**
   * Returns it with half of what is still to arrive, and so many bytes at least; null if that is
   * all.
   */
  @Nullable LandingPiece firstHalf(long least) {
    long missing = memory.byteSize() - arrived;
    if (missing <= least) {
      return null;
    }
    long half = Math.max(missing / 2, least);
    LandingPiece first = new LandingPiece(offset, memory.asSlice(0, arrived + half), life);
    first.arrived = arrived;
    return first;
  }

  /** Returns what has arrived of it. */
  LandingPiece arrivedPart() {
    LandingPiece part = new LandingPiece(offset, memory.asSlice(0, arrived), life);
    part.arrived = arrived;
    return part;
  }

  /** Returns where in the object it begins. */
  public long offset() {
    return offset;
  }

  public MemorySegment memory() {
    return memory;
  }

  /** Returns how many of its bytes have arrived. */
  public long arrived() {
    return arrived;
  }

  /** So many of its bytes have arrived. */
  void arrived(long upTo) {
    arrived = upTo;
  }

  /** Returns whether all of it has arrived. */
  boolean isFull() {
    return arrived == memory.byteSize();
  }

  /** Returns where in the object it ends. */
  public long end() {
    return offset + memory.byteSize();
  }
}
