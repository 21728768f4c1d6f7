package io.verbena.shm;

import io.verbena.link.LinkException;
import io.verbena.link.Secret;
import java.nio.ByteBuffer;

/**
 * The offer of a link: the directory of the socket, and a token for one use. A request is the first
 * five bytes of an offer. In network order.
 *
 * <pre>
 *  0        4         5           13        29           33
 *  +--------+---------+-----------+---------+------------+
 *  | "VSHM" | version | directory | token   | ring bytes |
 *  +--------+---------+-----------+---------+------------+
 * </pre>
 *
 * <p>The directory is sent as a number, and this end makes its name from that. So an offer cannot
 * lead to any other place.
 *
 * @param directory see {@link LinkFiles#directory}
 * @param token proves that the caller received the offer
 * @param ringBytes the bytes of each ring
 */
record ShmOffer(long directory, Secret token, int ringBytes) {
  static final int MAGIC = 0x5653_484d;
  static final byte VERSION = 1;
  private static final int HEAD_BYTES = 5;
  private static final int BYTES = HEAD_BYTES + Long.BYTES + Secret.BYTES + Integer.BYTES;

  /** Returns whether a request or an offer is one of a shared-memory link. */
  static boolean isOfThisKind(byte[] message) {
    return message.length >= Integer.BYTES && ByteBuffer.wrap(message).getInt() == MAGIC;
  }

  /** Returns the request for an offer. */
  static byte[] request() {
    return ByteBuffer.allocate(HEAD_BYTES).putInt(MAGIC).put(VERSION).array();
  }

  /**
   * Checks a request, or the beginning of an offer.
   *
   * @throws LinkException if this end does not support its version
   */
  static void requireVersion(byte[] message) throws LinkException {
    if (!isOfThisKind(message) || message.length < HEAD_BYTES || message[4] != VERSION) {
      throw new LinkException(
          "the peer's version of shared-memory links is not "
              + VERSION
              + "; use releases that share one",
          null);
    }
  }

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(BYTES).put(request()).putLong(directory);
    token.write(out);
    return out.putInt(ringBytes).array();
  }

  /**
   * Reads an offer.
   *
   * @throws LinkException if it is malformed
   */
  static ShmOffer decode(byte[] bytes) throws LinkException {
    requireVersion(bytes);
    if (bytes.length != BYTES) {
      throw malformed(bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).position(HEAD_BYTES);
    ShmOffer offer = new ShmOffer(in.getLong(), Secret.read(in), in.getInt());
    if (!ShmSettings.isRing(offer.ringBytes)) {
      throw malformed("rings of " + offer.ringBytes + " bytes");
    }
    return offer;
  }

  private static LinkException malformed(String how) {
    return new LinkException("the peer's offer of a shared-memory link is malformed: " + how, null);
  }
}
