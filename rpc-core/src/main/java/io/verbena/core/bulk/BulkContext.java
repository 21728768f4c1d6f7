package io.verbena.core.bulk;

import io.verbena.core.bulk.memory.BulkMemory;
import io.verbena.core.bulk.source.PublishedObjects;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.bulk.stat.CutOffs;

/**
 * What the sessions of one client or server share. Safe for use by any thread.
 *
 * @param memory where objects land, and pass through
 * @param shelf what is published
 * @param counters what was done
 * @param set cut-offs that are not to be measured
 * @param measures whether sessions measure their links
 */
public record BulkContext(
    BulkMemory memory,
    PublishedObjects shelf,
    BulkCounters counters,
    CutOffs set,
    boolean measures) {
  /** A context with so much memory. */
  public static BulkContext of(long memoryBytes, CutOffs set, boolean measures) {
    return new BulkContext(
        new BulkMemory(memoryBytes), new PublishedObjects(), new BulkCounters(), set, measures);
  }

  /** Returns what there is to know. */
  public BulkStats stats() {
    return counters.stats(memory, shelf);
  }
}
