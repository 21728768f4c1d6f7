package io.verbena.rdma.wire;

import io.verbena.link.LinkException;
import java.nio.ByteBuffer;

/**
 * A range of memory that a peer may write to, in network order.
 *
 * <pre>
 *  0        1            2               6           10            18           26
 *  +--------+------------+---------------+-----------+-------------+------------+
 *  | version| log2(unit) | target        | rkey      | address     | length     |
 *  |  = 1   |            | slot, epoch   |           |             |            |
 *  +--------+------------+---------------+-----------+-------------+------------+
 * </pre>
 *
 * @param target see {@link Immediate}
 * @param rkey the key of the range for the peer of this link, valid until the target is closed
 * @param address the beginning of the range
 * @param length in bytes, from 1
 * @param unitShift the binary logarithm of the unit of {@link Immediate}s
 */
public record Advertisement(int target, int rkey, long address, long length, int unitShift) {
  private static final int BYTES = 26;
  private static final int LARGEST_UNIT_SHIFT = 30;

  public byte[] encode() {
    return ByteBuffer.allocate(BYTES)
        .put((byte) Greeting.VERSION)
        .put((byte) unitShift)
        .putInt(target)
        .putInt(rkey)
        .putLong(address)
        .putLong(length)
        .array();
  }

  /**
   * Reads an advertisement. Its range is not checked here: a false one fails at the peer's own
   * device.
   *
   * @throws LinkException if it is malformed
   */
  public static Advertisement decode(ByteBuffer in) throws LinkException {
    if (in.remaining() != BYTES) {
      throw new LinkException(
          "the peer's advertisement has %d bytes, not %d".formatted(in.remaining(), BYTES), null);
    }
    ByteBuffer from = in.slice();
    in.position(in.limit());
    int version = from.get();
    int unitShift = from.get();
    int target = from.getInt();
    int rkey = from.getInt();
    long address = from.getLong();
    long length = from.getLong();
    if (version != Greeting.VERSION
        || unitShift < 0
        || unitShift > LARGEST_UNIT_SHIFT
        || target != Immediate.target(target)
        || length < 1) {
      throw new LinkException(
          "the peer's advertisement is malformed: version %d, unit 2^%d, target %d, %d bytes"
              .formatted(version, unitShift, target, length),
          null);
    }
    return new Advertisement(target, rkey, address, length, unitShift);
  }
}
