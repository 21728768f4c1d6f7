package io.verbena.api.bulk;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * The transfer of one object, as either end sees it. A program that fetches or pushes has one, and
 * so have the {@link PushHandler} that an object is offered to and the owner of a {@link Published}
 * object. A transfer survives a change of path and the loss of its connection. It continues after
 * the last byte that the receiving end had confirmed. Safe for use by any thread.
 */
public interface Transfer {
  /** Returns the progress so far. */
  Progress progress();

  /**
   * Cancels the transfer on both ends. Either end may cancel. Bytes that have arrived are
   * discarded. On the other end the transfer fails with {@link io.verbena.api.RpcStatus#CANCELLED},
   * and the message names the end that cancelled. An object that has arrived completely, and is
   * being moved to its place, still gets there. The receiving end then knows the outcome, while the
   * transfer at the sending end may have failed.
   *
   * @return false if the transfer was over already. After true the object may still arrive
   *     completely; see {@link #result}
   */
  boolean cancel();

  /**
   * Returns the outcome: the received object, or a {@link TransferException}. On the sending end,
   * and for a {@link PushHandler}, the result has only a length. The stage completes when Verbena
   * no longer uses the caller's resources. By then nothing reads or writes the caller's memory, the
   * {@code .verbena.part} file is closed or deleted, and the consumer is not called again. A call
   * of the consumer, or an operation on the disk, that is in progress ends first. Actions added to
   * the stage run on the event loop, so they must not block.
   *
   * <p>Ending its future ends the transfer, by any of {@code cancel}, {@code orTimeout}, {@code
   * completeOnTimeout}, {@code complete}, {@code obtrudeValue} and the like. The future does not
   * complete at once, but when the resources are free. Then it completes as requested. So a future
   * whose {@code cancel} returned true ends cancelled. {@link #get} returns the real outcome of the
   * transfer, which may have succeeded. Its file is then complete, and pooled memory is released. A
   * future made from this one, by {@code copy} or {@code thenApply} for instance, is independent.
   * Ending it does not end the transfer.
   */
  CompletionStage<Received> result();

  /**
   * Waits for the outcome.
   *
   * @throws TransferException if the transfer failed
   * @throws InterruptedException if the waiting thread was interrupted; the transfer goes on
   */
  Received get() throws InterruptedException;

  /**
   * Waits for the outcome, at most for a time.
   *
   * @throws TransferException if the transfer failed
   * @throws TimeoutException if the transfer is not over by then; it goes on
   * @throws InterruptedException if the waiting thread was interrupted; the transfer goes on
   */
  Received get(Duration timeout) throws InterruptedException, TimeoutException;

  /**
   * The progress of a transfer.
   *
   * @param bytes the number of bytes that the receiving end has confirmed
   * @param total the length of the object in bytes; -1 while it is unknown
   * @param elapsed the time from the beginning of the transfer until now, or until its end
   * @param resumedFrom the number of bytes that an earlier transfer to the same file had left, so
   *     that this one continued after them; 0 if it started from the beginning
   */
  record Progress(long bytes, long total, Duration elapsed, long resumedFrom) {
    /**
     * Returns the mean rate of this transfer since it began, without the bytes of an earlier one; 0
     * in the first instant.
     */
    public double bytesPerSecond() {
      return elapsed.isZero() ? 0 : (bytes - resumedFrom) * 1e9 / elapsed.toNanos();
    }
  }
}
