package io.verbena.codec;

import java.nio.ByteBuffer;

/**
 * What makes LZ4 blocks, found by {@link java.util.ServiceLoader}: {@code
 * io.verbena:compression-lz4} has one. A block is what the LZ4 format calls so: neither a frame nor
 * a length is around it, and none refers to another. Safe for use by any thread.
 */
public interface Lz4 {
  /**
   * Compresses bytes into a block.
   *
   * @param from where they are: absolute, from {@code at}
   * @param to where the block goes: has room for it, whatever the bytes are
   * @return how long it is
   */
  int compress(ByteBuffer from, int at, int length, byte[] to);

  /**
   * Decompresses a block of a peer's.
   *
   * @param from where it is: absolute, from {@code at}
   * @param to what it becomes, to the last byte
   * @throws io.verbena.api.wire.WireException if it is malformed, or becomes shorter or longer
   */
  void decompress(ByteBuffer from, int at, int length, byte[] to);
}
