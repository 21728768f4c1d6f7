package io.verbena.api.region;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemorySegment;

/**
 * A range of a region, and the memory here that it is read into or written from.
 *
 * @param offset where in the region the range begins
 * @param memory as long as the range; may be on the heap
 */
public record RegionPiece(long offset, MemorySegment memory) {
  /** Checks that there is memory. */
  public RegionPiece {
    Checks.required("memory", memory);
  }
}
