package io.verbena.link;

/** A range of this end's memory that is open for the peer. On the link's event loop. */
public interface BulkTarget {
  /** Returns what the peer's {@link BulkPort#remote} needs; at most 64 bytes. */
  byte[] advertisement();

  /**
   * Has something run once the range is open, maybe before this method returns; never, if the link
   * is lost before. What goes by this link comes behind that anyway: a peer that is told of the
   * range by another one might find it shut.
   */
  default void whenOpen(Runnable then) {
    then.run();
  }

  /**
   * Closes the range.
   *
   * @param whenFenced runs once when nothing can arrive in the range any more, maybe before this
   *     method returns; only then may its memory be used for something else
   */
  void close(Runnable whenFenced);

  /**
   * Closes the range, for an owner that has something to do where it cannot be fenced.
   *
   * @param whenFenced as above
   * @param whenLost runs once in its stead, maybe before this method returns, where the link is
   *     gone and its device may write into the range for ever: its memory must never be used for
   *     something else, nor its region be released
   */
  default void close(Runnable whenFenced, Runnable whenLost) {
    close(whenFenced);
  }

  /** Hears what arrives in a target. */
  @FunctionalInterface
  interface Listener {
    /**
     * Bytes have arrived and can be read.
     *
     * @param upTo so many from the target's beginning on
     */
    void onArrived(long upTo);
  }
}
