package io.verbena.rdma.wire;

import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import java.nio.ByteBuffer;

/**
 * The private data of a connection request and of its acceptance, in network order. It arrives
 * padded with zeros, so it contains its own length. Later versions may be longer.
 *
 * <pre>
 *  0        1        2             18             20             21         22            26             28
 *  +--------+--------+-------------+--------------+--------------+----------+-------------+--------------+
 *  | version| length | token       | frame credits| control      | features | slot bytes  | most frame   |
 *  |  = 2   |        |  16 bytes   |              | credits      |          |             | credits      |
 *  +--------+--------+-------------+--------------+--------------+----------+-------------+--------------+
 * </pre>
 *
 * @param token the offer's; an acceptance repeats it, to prove that the maker of the offer answers
 * @param terms the terms of the sender's receives
 */
public record Greeting(Secret token, Terms terms) {
  /**
   * The version of everything in this package. In version 1 the upgrade request named the abilities
   * of the device; now each end's greeting does.
   */
  public static final int VERSION = 2;

  private static final int BYTES = 28;
  private static final int LONGEST_SEND = 1 << 20;

  /** Returns the greeting as private data. */
  public ByteBuffer encode() {
    ByteBuffer out = ByteBuffer.allocate(BYTES);
    out.put((byte) VERSION).put((byte) BYTES);
    token.write(out);
    out.putShort((short) terms.frameCredits());
    out.put((byte) terms.controlCredits());
    out.put((byte) terms.features());
    out.putInt(terms.slotBytes());
    out.putShort((short) terms.mostFrameCredits());
    return out.flip();
  }

  /**
   * Reads private data.
   *
   * @throws LinkException if it is not a greeting of a supported version
   */
  public static Greeting decode(ByteBuffer in) throws LinkException {
    if (in.remaining() < BYTES) {
      throw new LinkException("the connection's private data is not a greeting of Verbena", null);
    }
    int version = in.get() & 0xff;
    int length = in.get() & 0xff;
    if (version != VERSION || length < BYTES) {
      throw new LinkException(
          "the peer speaks version %d of the RDMA link, this end version %d; use releases that share one"
              .formatted(version, VERSION),
          null);
    }
    Secret token = Secret.read(in);
    int frameCredits = in.getShort() & 0xffff;
    int controlCredits = in.get() & 0xff;
    int features = in.get() & 0xff;
    int slotBytes = in.getInt();
    int mostFrameCredits = in.getShort() & 0xffff;
    if (frameCredits < 1
        || mostFrameCredits < frameCredits
        || controlCredits < SendHeader.CONTROL_CREDITS
        || slotBytes <= SendHeader.BYTES + SendHeader.LENGTH_BYTES
        || slotBytes > LONGEST_SEND) {
      throw new LinkException(
          "the peer's greeting is malformed: %d and %d credits, slots of %d bytes"
              .formatted(frameCredits, controlCredits, slotBytes),
          null);
    }
    return new Greeting(
        token, new Terms(frameCredits, mostFrameCredits, controlCredits, slotBytes, features));
  }
}
