package io.verbena.link;

/**
 * A range of this end's memory that is open for the peer. Its methods are called on the link's
 * event loop.
 */
public interface BulkTarget {
  /** Returns the advertisement for the peer's {@link BulkPort#remote}, at most 64 bytes. */
  byte[] advertisement();

  /**
   * Runs an action when the range is open, possibly before this method returns. It never runs if
   * the link is lost first. An advertisement sent over this link arrives after the range is open in
   * any case. One sent over another link may arrive earlier, so it must wait for this action.
   */
  default void whenOpen(Runnable then) {
    then.run();
  }

  /**
   * Closes the range.
   *
   * @param whenFenced runs once when nothing can arrive in the range any more, possibly before this
   *     method returns. Only then may the memory be reused
   */
  void close(Runnable whenFenced);

  /**
   * Closes the range, for an owner that must act if the range cannot be fenced.
   *
   * @param whenFenced as for {@link #close(Runnable)}
   * @param whenLost runs once instead, possibly before this method returns, if the link is gone and
   *     its device may still write into the range. The memory must then never be reused, nor its
   *     region be released
   */
  default void close(Runnable whenFenced, Runnable whenLost) {
    close(whenFenced);
  }

  /** Receives the progress of a target. */
  @FunctionalInterface
  interface Listener {
    /**
     * Bytes have arrived and can be read.
     *
     * @param upTo the number of bytes, from the target's beginning
     */
    void onArrived(long upTo);
  }
}
