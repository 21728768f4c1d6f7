package io.verbena.core.bulk;

import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.bulk.stat.CutOffs;

/**
 * What the sessions of one client or server share. Safe for use by any thread.
 *
 * @param memory where objects land, and pass through
 * @param shelf what is published
 * @param counters what was done
 * @param set cut-offs that are not to be measured
 * @param railsFrom so much of an object that is still to be moved is worth further paths
 * @param measures whether sessions measure their links
 */
public record BulkContext(
    BulkMemory memory,
    PublishedObjects shelf,
    BulkCounters counters,
    CutOffs set,
    long railsFrom,
    boolean measures) {
  /** What {@link #railsFrom} is where nothing is said. */
  public static final long RAILS_FROM_BYTES = 8L << 20;

  private static final long LONGEST_RAIL_PIECE = 1L << 20;
  private static final long SHORTEST_RAIL_PIECE = 16L << 10;

  /** A context with so much memory. */
  public static BulkContext of(long memoryBytes, CutOffs set, long railsFrom, boolean measures) {
    return new BulkContext(
        new BulkMemory(memoryBytes),
        new PublishedObjects(),
        new BulkCounters(),
        set,
        railsFrom,
        measures);
  }

  /** Returns how long pieces are that are dealt out to several paths. */
  public long railPieceBytes() {
    return Math.clamp(railsFrom / 8, SHORTEST_RAIL_PIECE, LONGEST_RAIL_PIECE);
  }

  /** Returns what there is to know. */
  public BulkStats stats() {
    return counters.stats(memory, shelf);
  }
}
