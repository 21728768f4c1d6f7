package io.verbena.tcp;

import io.netty.buffer.ByteBuf;

/**
 * The header of bulk bytes in the stream. It stands in the place of a frame's length:
 *
 * <pre>
 *    0                                                              31
 *   +-+---------------------------------------------------------------+
 *   |1| bytes that follow the header, 1 to 2^31-1                      |
 *   +-+---------------------------------------------------------------+
 *   |  target, as its advertisement names it                          |
 *   |                                                          8 bytes |
 *   +-+---------------------------------------------------------------+
 *   |C|R|  where in the target they go                                |
 *   |                                                          8 bytes |
 *   +-+-+-------------------------------------------------------------+
 *    C: checkpoint: report to the receiver that they have arrived
 *    R: the sender wants a receipt
 * </pre>
 *
 * @param bytes the number of bytes that follow
 * @param target number of the target
 * @param at offset within it
 * @param checkpoint whether to report to the receiver that they have arrived
 * @param asks whether the sender wants a {@link Receipt}
 */
record Chunk(int bytes, long target, long at, boolean checkpoint, boolean asks) {
  /** The length of a frame's prefix, in bytes. */
  static final int PREFIX = 4;

  /** The length of the header, in bytes. */
  static final int HEADER = PREFIX + 2 * Long.BYTES;

  private static final int MARK = 1 << 31;
  private static final long CHECKPOINT = 1L << 63;
  private static final long ASKS = 1L << 62;

  /** Returns whether the first 4 bytes, a frame's length or a prefix, begin a chunk. */
  static boolean begins(int prefix) {
    return (prefix & MARK) != 0;
  }

  /** Reads a header that is complete. */
  static Chunk readFrom(ByteBuf in) {
    int bytes = in.readInt() & ~MARK;
    long target = in.readLong();
    long at = in.readLong();
    return new Chunk(
        bytes, target, at & ~(CHECKPOINT | ASKS), (at & CHECKPOINT) != 0, (at & ASKS) != 0);
  }

  /** Writes the header. The buffer must have room for it. */
  void writeTo(ByteBuf out) {
    long flags = (checkpoint ? CHECKPOINT : 0) | (asks ? ASKS : 0);
    out.writeInt(bytes | MARK).writeLong(target).writeLong(at | flags);
  }
}
