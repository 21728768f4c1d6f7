package io.verbena.core.bulk;

import java.util.concurrent.atomic.AtomicLong;

/** Counts what transfers do. Safe for use by any thread. */
public final class BulkCounters {
  final AtomicLong sending = new AtomicLong();
  final AtomicLong receiving = new AtomicLong();
  final AtomicLong completed = new AtomicLong();
  final AtomicLong failed = new AtomicLong();
  final AtomicLong bytesSent = new AtomicLong();
  final AtomicLong bytesReceived = new AtomicLong();
  final AtomicLong quarantined = new AtomicLong();
  final AtomicLong resumed = new AtomicLong();
  final AtomicLong standing = new AtomicLong();
  final AtomicLong landedAtOnce = new AtomicLong();

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
