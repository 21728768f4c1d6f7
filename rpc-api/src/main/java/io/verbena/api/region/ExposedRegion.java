package io.verbena.api.region;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A region that this end exposes: memory that the peer may read and write. A region ends when it is
 * {@linkplain #close() closed}, when its lease is over, or when the session's peer is lost. Safe
 * for use by any thread.
 */
public interface ExposedRegion extends AutoCloseable {
  /** Returns the reference, to be sent in a call of the same session. */
  RegionRef ref();

  /** Returns whether the peer may reach the region now. */
  boolean isOpen();

  /**
   * Sets a new lease, which begins now and may end earlier or later than the old one.
   *
   * @param lease longer than 0
   * @return true if the lease was set; false if the region was closed, or its lease was over:
   *     expose the memory again
   */
  boolean renew(Duration lease);

  /**
   * Starts to end the region, and returns at once. Later requests of the peer fail with
   * UNAVAILABLE, NOT_EXECUTED. Closing again does nothing. Over RDMA the peer is asked to leave the
   * memory alone. A peer that ignores this may reach the memory until the region has {@linkplain
   * #ended() ended}.
   *
   * @see #ended()
   */
  @Override
  void close();

  /**
   * Returns a future that completes when the region has ended. By then nothing reads or writes its
   * memory for the peer. Free or reuse the memory only afterwards. If its arena is closed earlier,
   * a device may disclose or overwrite other data at the same address. Each call returns a new
   * future, and completing it has no effect on the region.
   */
  CompletableFuture<Void> ended();
}
