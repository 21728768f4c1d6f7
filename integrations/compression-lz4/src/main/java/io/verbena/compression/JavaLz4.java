package io.verbena.compression;

import io.verbena.api.wire.WireException;
import io.verbena.codec.Lz4;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * LZ4 blocks by lz4-java's implementation in Java. It checks every access, so a malformed block
 * causes an exception; and it loads no native library. {@link java.util.ServiceLoader} finds this
 * class.
 */
public final class JavaLz4 implements Lz4 {
  private final LZ4Compressor compressor;
  private final LZ4SafeDecompressor decompressor;

  /** Makes a codec without state. {@link java.util.ServiceLoader} calls this. */
  public JavaLz4() {
    LZ4Factory safe = LZ4Factory.safeInstance();
    compressor = safe.fastCompressor();
    decompressor = safe.safeDecompressor();
  }

  @Override
  public int compress(ByteBuffer from, int at, int length, byte[] to) {
    return compressor.compress(from, at, length, ByteBuffer.wrap(to), 0, to.length);
  }

  @Override
  public void decompress(ByteBuffer from, int at, int length, byte[] to) {
    int became;
    try {
      became = decompressor.decompress(from, at, length, ByteBuffer.wrap(to), 0, to.length);
    } catch (LZ4Exception | IndexOutOfBoundsException e) {
      throw new WireException(
          "%d bytes are not an LZ4 block, or hold more than the %d bytes that they announce"
              .formatted(length, to.length));
    }
    if (became != to.length) {
      throw new WireException(
          "an LZ4 block of %d bytes that announces %d".formatted(became, to.length));
    }
  }
}
