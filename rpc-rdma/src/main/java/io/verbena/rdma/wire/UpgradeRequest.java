package io.verbena.rdma.wire;

import io.verbena.link.LinkException;

/**
 * The active end's request for an offer, with its version. The abilities of its device follow in
 * its {@link Greeting}, when the device is known.
 *
 * <pre>
 *  0         1            2
 *  +---------+------------+
 *  | version | candidates |     later versions may be longer
 *  +---------+------------+
 * </pre>
 *
 * <p>The number of candidates that it accepts in an offer is left out if it is {@link
 * #FEW_CANDIDATES}.
 */
public final class UpgradeRequest {
  /** The number for requests without one. */
  private static final int FEW_CANDIDATES = 8;

  private UpgradeRequest() {}

  public static byte[] encode() {
    return new byte[] {Greeting.VERSION, RdmaOffer.MOST_CANDIDATES};
  }

  /**
   * Checks a request; returns the number of candidates that the other end accepts.
   *
   * @throws LinkException if this end does not support its version
   */
  public static int candidates(byte[] in) throws LinkException {
    if (in.length == 0 || in[0] != Greeting.VERSION) {
      throw new LinkException(
          "the client asked for an RDMA link in a version that is not "
              + Greeting.VERSION
              + "; use releases that share one",
          null);
    }
    int said = in.length > 1 ? in[1] & 0xff : FEW_CANDIDATES;
    return Math.clamp(said, 1, RdmaOffer.MOST_CANDIDATES);
  }
}
