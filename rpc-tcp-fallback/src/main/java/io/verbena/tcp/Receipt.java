package io.verbena.tcp;

import io.netty.buffer.ByteBuf;

/**
 * The number of bulk bytes that have arrived, for their sender. It stands in the place of a frame's
 * length:
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
  /** The length of a receipt, in bytes. */
  static final int BYTES = Chunk.PREFIX + Long.BYTES;

  private static final int MARK = 1 << 31;

  private Receipt() {}

  /** Returns whether the first 4 bytes, a frame's length or a prefix, begin a receipt. */
  static boolean begins(int prefix) {
    return prefix == MARK;
  }

  /** Reads a receipt that is complete. Returns the number of bytes that have arrived. */
  static long readFrom(ByteBuf in) {
    return in.skipBytes(Chunk.PREFIX).readLong();
  }

  /** Writes a receipt. The buffer must have room for it. */
  static void writeTo(ByteBuf out, long arrived) {
    out.writeInt(MARK).writeLong(arrived);
  }
}
