package io.verbena.core.bulk;

import io.verbena.core.bulk.memory.BulkMemory;
import io.verbena.core.bulk.source.Shelf;
import io.verbena.core.bulk.stat.BulkStats;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what transfers do. Safe for use by any thread. */
public final class BulkCounters {
  public final AtomicLong sending = new AtomicLong();
  public final AtomicLong receiving = new AtomicLong();
  public final AtomicLong completed = new AtomicLong();
  public final AtomicLong failed = new AtomicLong();
  public final AtomicLong bytesSent = new AtomicLong();
  public final AtomicLong bytesReceived = new AtomicLong();
  public final AtomicLong quarantined = new AtomicLong();
  public final AtomicLong resumed = new AtomicLong();
  public final AtomicLong standing = new AtomicLong();
  public final AtomicLong landedAtOnce = new AtomicLong();

  BulkStats stats(BulkMemory memory, Shelf shelf) {
    return new BulkStats(
        sending.get(),
        receiving.get(),
        completed.get(),
        failed.get(),
        bytesSent.get(),
        bytesReceived.get(),
        memory.inUse(),
        memory.kept(),
        memory.limit(),
        quarantined.get(),
        resumed.get(),
        standing.get(),
        landedAtOnce.get(),
        shelf.size(),
        shelf.bytes());
  }
}
