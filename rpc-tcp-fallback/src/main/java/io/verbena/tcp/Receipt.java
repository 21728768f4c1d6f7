package io.verbena.tcp;

import io.netty.buffer.ByteBuf;

/**
 * Tells the sender of bulk bytes how many have arrived; where a frame would have its length:
 *
 * <pre>
 *    0                                                              31
 *   +-+---------------------------------------------------------------+
 *   |1| 0                                                             |
 *   +-+---------------------------------------------------------------+
 *   |  bytes of whole chunks since the link was opened                |
 *   |                                                          8 bytes |
 *   +-----------------------------------------------------------------+
 * </pre>
 */
final class Receipt {
  /** Bytes of it all. */
  static final int BYTES = FrameReader.PREFIX + Long.BYTES;

  private static final int MARK = 1 << 31;

  private Receipt() {}

  /** Returns whether what stands where a frame has its length begins a receipt. */
  static boolean begins(int prefix) {
    return prefix == MARK;
  }

  /** Reads one, which is there in whole; returns how many bytes have arrived. */
  static long readFrom(ByteBuf in) {
    return in.skipBytes(FrameReader.PREFIX).readLong();
  }

  /** Writes one; there is room for it. */
  static void writeTo(ByteBuf out, long arrived) {
    out.writeInt(MARK).writeLong(arrived);
  }
}
