package io.verbena.api.region;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Memory that the peer may reach, as its owner has it. It ends when it is {@linkplain #close()
 * closed}, when its lease is over, and when the session's peer is lost. Safe for any thread.
 */
public interface ExposedRegion extends AutoCloseable {
  /** Returns its name, to be sent in a call of the same session. */
  RegionRef ref();

  /** Returns whether the peer may reach it. */
  boolean isOpen();

  /**
   * Has the lease end so long from now, sooner or later than before. Does nothing where the region
   * has ended.
   *
   * @param lease longer than 0
   */
  void renew(Duration lease);

  /**
   * Ends it, and returns at once: what the peer asks for from now on fails with UNAVAILABLE,
   * NOT_EXECUTED. Closing again does nothing. Over RDMA a peer that does not heed that it is asked
   * to leave the memory alone may reach it until the region has ended.
   *
   * @see #ended()
   */
  @Override
  void close();

  /**
   * Returns what completes when the region has ended, and nobody reads or writes its memory for the
   * peer any more: only then may the memory be freed, or used for something else. Who closes its
   * arena before has a device disclose, or overwrite, what comes to be there. It is a copy, whose
   * holder may end it as he likes.
   */
  CompletableFuture<Void> ended();
}
