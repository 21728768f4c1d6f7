package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Access;

/**
 * The agreed terms of a connection for the queue pair of one side.
 *
 * @param ackTimeout the exponent of the time before an unanswered request is repeated; 0 for never
 * @param retries the number of repeats
 * @param rnrRetries the number of repeats for a receiver that is not ready; 7 for ever
 */
record ConnectionTerms(
    FabricLink link,
    int ackTimeout,
    int retries,
    int rnrRetries,
    int maxReadAtomic,
    int maxDestinationReadAtomic) {

  /** The kernel's value for RoCE: 4.096 us times 2 to the 19th is 2.1 s. */
  static final int DEFAULT_ACK_TIMEOUT = 19;

  private static final int UNLIMITED = 7;

  /** The waits by code, in units of 10 us (InfiniBand specification, table 45). */
  private static final int[] RNR_WAITS = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  /** The terms before a connection, with which no packet moves. */
  @SuppressWarnings("NullAway") // no packet asks for its link before there is a peer
  static final ConnectionTerms NONE = new ConnectionTerms(null, 0, 0, 0, 0, 0);

  static long rnrWaitNanos(int code) {
    return RNR_WAITS[code] * 10_000L;
  }

  boolean retriesRnrForEver() {
    return rnrRetries == UNLIMITED;
  }

  /** Returns the timeout in nanoseconds; Long.MAX_VALUE for never. */
  long ackTimeoutNanos() {
    return ackTimeout == 0 ? Long.MAX_VALUE : 4_096L << ackTimeout;
  }

  /** Returns the access that the connection manager grants to the peer. */
  int accessFlags() {
    return maxDestinationReadAtomic == 0
        ? Access.REMOTE_WRITE
        : Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
  }
}
