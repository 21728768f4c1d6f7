package io.verbena.core.link;

/** A range of this end's memory that is open for the peer. On the link's event loop. */
public interface BulkTarget {
  /** Returns what the peer's {@link BulkPort#remote} needs; at most 64 bytes. */
  byte[] advertisement();

  /**
   * Has the range taken from its beginning again, by the same advertisement; it stays open. Only
   * when all that the peer wrote has arrived, and before the peer hears that it may {@link
   * RemoteTarget#rewind}.
   */
  void rewind();

  /**
   * Closes the range.
   *
   * @param whenFenced runs once when nothing can arrive in the range any more, maybe before this
   *     method returns; only then may its memory be used for something else
   */
  void close(Runnable whenFenced);

  /** Hears what arrives in a target. */
  @FunctionalInterface
  interface Listener {
    /**
     * Bytes have arrived and can be read.
     *
     * @param upTo so many from the target's beginning on, since it was last rewound
     */
    void onArrived(long upTo);
  }
}
