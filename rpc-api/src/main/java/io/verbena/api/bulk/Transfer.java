package io.verbena.api.bulk;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * An object on its way, as either end sees it: whoever fetches or pushes it, the {@link
 * PushHandler} it is offered to, and the owner of what is {@link Published}. It survives a change
 * of path and the loss of its connection: it goes on where the receiving end had confirmed it. Safe
 * for use by any thread.
 */
public interface Transfer {
  /** Returns how far it is. */
  Progress progress();

  /**
   * Cancels it on both ends, from either. What has arrived is thrown away. On the other end it
   * fails as {@link io.verbena.api.RpcStatus#CANCELLED}, with words that say where it was
   * cancelled. What is whole, and being put in its place, is put there all the same: the receiving
   * end says what became of it, where the sending end may have failed.
   *
   * @return false if it was over already; it may yet be whole before this takes effect: see {@link
   *     #result}
   */
  boolean cancel();

  /**
   * Returns its outcome: what was received (on the sending end, and for a {@link PushHandler}, its
   * length alone), or a {@link TransferException}. It completes when whatever it used of the user's
   * is free again: nobody reads or writes his memory, the file beside his file is gone, his
   * consumer is called no more. For that a call of the consumer, or of the disk, that is under way
   * is waited for. Dependents run on the event loop; do not block there.
   *
   * <p>To end its future is to end the transfer, in whatever way: {@code cancel}, {@code
   * orTimeout}, {@code completeOnTimeout}, {@code complete}, {@code obtrudeValue} and the like. It
   * completes as said, not at once: cancelled, as {@link #cancel} does; else as it was asked to,
   * and then {@link #get} says what became of the transfer, whose pooled memory is given back. What
   * is made from it, as by {@code copy} or {@code thenApply}, is another future: ended, it leaves
   * the transfer alone.
   */
  CompletionStage<Received> result();

  /**
   * Waits for its outcome.
   *
   * @throws TransferException if it failed
   * @throws InterruptedException if the waiting thread was interrupted; the transfer goes on
   */
  Received get() throws InterruptedException;

  /**
   * Waits for its outcome for so long.
   *
   * @throws TransferException if it failed
   * @throws TimeoutException if it is not over by then; it goes on
   * @throws InterruptedException if the waiting thread was interrupted; the transfer goes on
   */
  Received get(Duration timeout) throws InterruptedException, TimeoutException;

  /**
   * How far a transfer is.
   *
   * @param bytes confirmed by the receiving end
   * @param total of the object; -1 while it is not known
   * @param elapsed since it began, until its end
   * @param resumedFrom how many of the bytes were there from an earlier transfer to the same file,
   *     behind which this one went on; 0 if it began anew
   */
  record Progress(long bytes, long total, Duration elapsed, long resumedFrom) {
    /** Returns the mean rate of what this transfer moved since it began; 0 in the first instant. */
    public double bytesPerSecond() {
      return elapsed.isZero() ? 0 : (bytes - resumedFrom) * 1e9 / elapsed.toNanos();
    }
  }
}
