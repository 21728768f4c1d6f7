package io.verbena.rdma.device;

import io.verbena.verbs.ext.CompletionBlock;

/** Whom completions, and what else a device says of a queue pair, are for: one link. */
public interface CompletionSink {
  /**
   * A work request has completed. Called in the order of completion, from within polling: takes
   * note and returns.
   *
   * @param workId a {@link io.verbena.rdma.wire.WorkId}
   * @param block lent until this returns; reading a field costs, so that each is left to who wants
   *     it
   * @param index of the completion in the block
   */
  void completed(long workId, CompletionBlock block, int index);

  /**
   * The device has refused a request of the peer's, and ended the queue pair. Takes note and
   * returns.
   *
   * @param ofAccess whether it was refused access to memory; else it was no valid request
   */
  void refusedPeer(boolean ofAccess);

  /**
   * The device is gone, or of no use any more: nothing that was posted completes. Called outside of
   * polling; may destroy the queue pair.
   *
   * @param why in words
   */
  void deviceLost(String why);
}
