package io.verbena.core.bulk;

import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.bulk.stat.CutOffs;

/**
 * The common state of the sessions of one client or server. Safe for use by any thread.
 *
 * @param memory pooled memory for arriving objects and copies
 * @param shelf the published objects
 * @param counters the counts of transfers
 * @param set cut-offs that are set instead of measured
 * @param railsFrom the least number of remaining bytes for which further paths are used
 * @param measures whether sessions measure their links
 */
public record BulkContext(
    BulkMemory memory,
    PublishedObjects shelf,
    BulkCounters counters,
    CutOffs set,
    long railsFrom,
    boolean measures) {
  /** The default of {@link #railsFrom}. */
  public static final long RAILS_FROM_BYTES = 8L << 20;

  private static final long LONGEST_RAIL_PIECE = 1L << 20;
  private static final long SHORTEST_RAIL_PIECE = 16L << 10;

  /** Returns the length of the pieces that several paths share. */
  public long railPieceBytes() {
    return Math.clamp(railsFrom / 8, SHORTEST_RAIL_PIECE, LONGEST_RAIL_PIECE);
  }

  public BulkStats stats() {
    return counters.stats(memory, shelf);
  }
}
