package io.verbena.rdma.wire;

import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The offer of a link: a token for one use, and the addresses at which the passive end's devices
 * listen.
 *
 * <pre>
 *  0         1             17       18
 *  +---------+-------------+--------+-----------------------------------------------+
 *  | version | token       | count  | count x { 4 or 16 | address | port (2 bytes) } |
 *  +---------+-------------+--------+-----------------------------------------------+
 * </pre>
 *
 * @param token proves the connection request
 * @param candidates best first, as far as the passive end knows
 */
public record RdmaOffer(Secret token, List<InetSocketAddress> candidates) {
  /** More than the devices of most hosts have. The peer picks those that it can reach. */
  public static final int MOST_CANDIDATES = 64;

  private static final int LONGEST = 2 + Secret.BYTES + MOST_CANDIDATES * (1 + 16 + 2);

  /** Copies the candidates. */
  public RdmaOffer {
    candidates = List.copyOf(candidates);
  }

  public byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(LONGEST);
    out.put((byte) Greeting.VERSION);
    token.write(out);
    out.put((byte) candidates.size());
    for (InetSocketAddress candidate : candidates) {
      byte[] address = candidate.getAddress().getAddress();
      out.put((byte) address.length).put(address).putShort((short) candidate.getPort());
    }
    byte[] bytes = new byte[out.position()];
    out.get(0, bytes);
    return bytes;
  }

  /**
   * Reads an offer.
   *
   * @throws LinkException if it is malformed
   */
  public static RdmaOffer decode(byte[] bytes) throws LinkException {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      int version = in.get() & 0xff;
      if (version != Greeting.VERSION) {
        throw malformed("version " + version);
      }
      Secret token = Secret.read(in);
      int count = in.get() & 0xff;
      if (count < 1 || count > MOST_CANDIDATES) {
        throw malformed(count + " candidates");
      }
      List<InetSocketAddress> candidates = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        candidates.add(candidate(in));
      }
      return new RdmaOffer(token, candidates);
    } catch (BufferUnderflowException e) {
      throw malformed("it ends after " + bytes.length + " bytes");
    }
  }

  private static InetSocketAddress candidate(ByteBuffer in) throws LinkException {
    int length = in.get();
    if (length != 4 && length != 16) {
      throw malformed("an address of " + length + " bytes");
    }
    byte[] address = new byte[length];
    in.get(address);
    int port = in.getShort() & 0xffff;
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), port);
    } catch (UnknownHostException e) {
      throw malformed(e.toString());
    }
  }

  private static LinkException malformed(String how) {
    return new LinkException("the peer's offer of an RDMA link is malformed: " + how, null);
  }
}
