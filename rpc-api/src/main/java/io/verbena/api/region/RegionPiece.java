package io.verbena.api.region;

import io.verbena.api.settings.Checks;
import java.lang.foreign.MemorySegment;

/**
 * A range of a region, and the local memory to read it into or to write it from.
 *
 * @param offset the position of the range in the region, in bytes
 * @param memory the local memory, as long as the range. It may be on the heap
 */
public record RegionPiece(long offset, MemorySegment memory) {
  /** Checks that there is memory. */
  public RegionPiece {
    Checks.required("memory", memory);
  }
}
