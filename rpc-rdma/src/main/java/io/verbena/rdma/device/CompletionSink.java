package io.verbena.rdma.device;

import io.verbena.verbs.ext.CompletionBlock;

/** Receives the completions of one link, and other reports of a device about its queue pair. */
public interface CompletionSink {
  /**
   * A work request has completed. Called in the order of completion, from within polling, so it
   * takes note and returns.
   *
   * @param workId a {@link io.verbena.rdma.wire.WorkId}
   * @param block lent until this method returns. A read of a field costs time, so each receiver
   *     reads only the fields that it needs
   * @param index the index of the completion in the block
   */
  void completed(long workId, CompletionBlock block, int index);

  /**
   * The device has refused a request of the peer, and has ended the queue pair. Takes note and
   * returns.
   *
   * @param ofAccess whether access to memory was refused; otherwise the request was invalid
   */
  void refusedPeer(boolean ofAccess);

  /**
   * The device reports that the queue pair has failed, so posted requests may not complete. Takes
   * note and returns.
   */
  void queuePairFailed();

  /**
   * The device is gone or abandoned, so posted requests will not complete. Called outside of
   * polling; it may destroy the queue pair.
   *
   * @param why the reason, for people
   */
  void deviceLost(String why);
}
