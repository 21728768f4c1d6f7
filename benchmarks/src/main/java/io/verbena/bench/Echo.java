package io.verbena.bench;

import org.HdrHistogram.Histogram;

/** A way to send small messages to another thread over loopback TCP and get each of them back. */
interface Echo extends AutoCloseable {
  /** Bytes of a message. */
  int BYTES = 64;

  /** Returns what the figures are listed under. */
  String name();

  /**
   * Makes round trips, and returns when all have been made.
   *
   * @param outstanding how many are under way at a time
   * @param nanos takes the time of each
   */
  void roundTrips(int count, int outstanding, Histogram nanos) throws InterruptedException;

  @Override
  void close();
}
