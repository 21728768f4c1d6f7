package io.verbena.core.bulk;

import io.verbena.core.bulk.stat.BulkStats;
import java.util.concurrent.atomic.AtomicLong;

/** Counts transfers and their bytes. Safe for use by any thread. */
public final class BulkCounters {
  private final AtomicLong sending = new AtomicLong();
  private final AtomicLong receiving = new AtomicLong();
  private final AtomicLong completed = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong bytesSent = new AtomicLong();
  private final AtomicLong bytesReceived = new AtomicLong();
  private final AtomicLong quarantined = new AtomicLong();
  private final AtomicLong resumed = new AtomicLong();

  public void countBegin(boolean sends) {
    (sends ? sending : receiving).incrementAndGet();
  }

  public void countEnd(boolean sends, boolean well) {
    (sends ? sending : receiving).decrementAndGet();
    (well ? completed : failed).incrementAndGet();
  }

  public void sent(long bytes) {
    bytesSent.addAndGet(bytes);
  }

  public void received(long bytes) {
    bytesReceived.addAndGet(bytes);
  }

  /** Adds bytes that wait until a peer is fenced off them; below 0: subtracts. */
  public void quarantined(long bytes) {
    quarantined.addAndGet(bytes);
  }

  /** Counts a transfer that continues on another path. */
  public void countResume() {
    resumed.incrementAndGet();
  }

  BulkStats stats(BulkMemory memory, PublishedObjects shelf) {
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
        shelf.size(),
        shelf.bytes());
  }
}
