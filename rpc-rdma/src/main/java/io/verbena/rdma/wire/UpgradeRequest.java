package io.verbena.rdma.wire;

import io.verbena.link.LinkException;

/**
 * What the active end says before it is offered a link: in which version. What its device can do
 * follows in its {@link Greeting}, when it is known which one it connects by.
 *
 * <pre>
 *  0         1            2
 *  +---------+------------+
 *  | version | candidates |     later versions may be longer
 *  +---------+------------+
 * </pre>
 *
 * <p>How many candidates it takes in an offer, is missing where it is {@link #FEW_CANDIDATES}.
 */
public final class UpgradeRequest {
  /** What those take that do not say. */
  private static final int FEW_CANDIDATES = 8;

  private UpgradeRequest() {}

  /** Returns a request as bytes. */
  public static byte[] encode() {
    return new byte[] {Greeting.VERSION, Offer.MOST_CANDIDATES};
  }

  /**
   * Looks at a request, and returns how many candidates the other end takes.
   *
   * @throws LinkException if this end does not understand it
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
    return Math.clamp(said, 1, Offer.MOST_CANDIDATES);
  }
}
