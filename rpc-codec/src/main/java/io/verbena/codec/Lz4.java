package io.verbena.codec;

import java.nio.ByteBuffer;

/**
 * Compresses and decompresses LZ4 blocks. {@link java.util.ServiceLoader} finds the provider, for
 * example that of {@code io.verbena:compression-lz4}. A block is that of the LZ4 format, without a
 * frame or a length around it, and no block refers to another. Safe for use by any thread.
 */
public interface Lz4 {
  /**
   * Compresses bytes into a block.
   *
   * @param from the bytes, from the absolute index {@code at}
   * @param to receives the block; large enough for any bytes
   * @return the length of the block
   */
  int compress(ByteBuffer from, int at, int length, byte[] to);

  /**
   * Decompresses a block that came from a peer.
   *
   * @param from the block, from the absolute index {@code at}
   * @param to receives the bytes, exactly as many as it holds
   * @throws io.verbena.api.wire.WireException if the block is malformed, or expands to another
   *     length
   */
  void decompress(ByteBuffer from, int at, int length, byte[] to);
}
