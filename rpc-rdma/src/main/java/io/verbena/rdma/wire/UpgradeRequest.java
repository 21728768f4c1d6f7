package io.verbena.rdma.wire;

import io.verbena.core.link.LinkException;
import java.nio.ByteBuffer;

/**
 * What the active end says of itself before it is offered a link.
 *
 * <pre>
 *  0         1          2
 *  +---------+----------+
 *  | version | features |     later versions may be longer
 *  +---------+----------+
 * </pre>
 *
 * @param features bits of {@link Features}
 */
public record UpgradeRequest(int features) {
  private static final int BYTES = 2;

  /** Returns it as bytes. */
  public byte[] encode() {
    return new byte[] {Greeting.VERSION, (byte) features};
  }

  /**
   * Reads a request.
   *
   * @throws LinkException if this end does not understand it
   */
  public static UpgradeRequest decode(byte[] in) throws LinkException {
    ByteBuffer buffer = ByteBuffer.wrap(in);
    if (in.length < BYTES || buffer.get() != Greeting.VERSION) {
      throw new LinkException(
          "the client asked for an RDMA link in a version that is not "
              + Greeting.VERSION
              + "; use releases that share one",
          null);
    }
    return new UpgradeRequest(buffer.get() & 0xff);
  }
}
