package io.verbena.core.bulk;

import io.verbena.core.bulk.stat.BulkStats;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what transfers do. Safe for use by any thread. */
public final class BulkCounters {
  private final AtomicLong sending = new AtomicLong();
  private final AtomicLong receiving = new AtomicLong();
  private final AtomicLong completed = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong bytesSent = new AtomicLong();
  private final AtomicLong bytesReceived = new AtomicLong();
  private final AtomicLong quarantined = new AtomicLong();
  private final AtomicLong resumed = new AtomicLong();

  /** A transfer of this direction begins. */
  public void begins(boolean sends) {
    (sends ? sending : receiving).incrementAndGet();
  }

  /** A transfer of this direction has ended. */
  public void ends(boolean sends, boolean well) {
    (sends ? sending : receiving).decrementAndGet();
    (well ? completed : failed).incrementAndGet();
  }

  public void sent(long bytes) {
    bytesSent.addAndGet(bytes);
  }

  public void received(long bytes) {
    bytesReceived.addAndGet(bytes);
  }

  /** So many bytes more wait until a peer is fenced off them; below 0: fewer. */
  public void quarantined(long bytes) {
    quarantined.addAndGet(bytes);
  }

  /** A transfer goes on over another path. */
  public void resumes() {
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
