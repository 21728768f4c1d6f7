package io.verbena.rdma.wire;

import io.verbena.link.LinkException;

/**
 * What the active end says before it is offered a link: in which version. What its device can do
 * follows in its {@link Greeting}, when it is known which one it connects by.
 *
 * <pre>
 *  0         1
 *  +---------+
 *  | version |     later versions may be longer
 *  +---------+
 * </pre>
 */
public final class UpgradeRequest {
  private UpgradeRequest() {}

  /** Returns a request as bytes. */
  public static byte[] encode() {
    return new byte[] {Greeting.VERSION};
  }

  /**
   * Looks at a request.
   *
   * @throws LinkException if this end does not understand it
   */
  public static void check(byte[] in) throws LinkException {
    if (in.length == 0 || in[0] != Greeting.VERSION) {
      throw new LinkException(
          "the client asked for an RDMA link in a version that is not "
              + Greeting.VERSION
              + "; use releases that share one",
          null);
    }
  }
}
