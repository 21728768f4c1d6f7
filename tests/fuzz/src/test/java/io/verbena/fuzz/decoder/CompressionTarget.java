package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.wire.WireException;
import io.verbena.codec.Compression;
import io.verbena.codec.WireEncoder;
import io.verbena.compression.JavaLz4;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import java.nio.ByteBuffer;
import java.util.List;

/** What a compressed message has before its metadata: an announced length, and an LZ4 block. */
public final class CompressionTarget implements Target {
  private final Compression compression = new Compression(new JavaLz4(), 1, Bytes.MOST_BYTES);

  @Override
  public void take(byte[] input, Meter meter) {
    byte[] plain;
    try {
      plain = compression.expand(ByteBuffer.wrap(input), 0, input.length);
    } catch (WireException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
      return;
    }
    assertThat(compression.announced(ByteBuffer.wrap(input), 0, input.length))
        .isEqualTo(plain.length);
    meter.start();
    byte[] again = compressed(plain);
    if (again.length < plain.length) {
      assertThat(compression.expand(ByteBuffer.wrap(again), 0, again.length)).isEqualTo(plain);
    }
  }

  private byte[] compressed(byte[] plain) {
    WireEncoder out = Bytes.encoder();
    out.writeRaw(plain);
    compression.compress(out);
    return Bytes.taken(out);
  }

  @Override
  public List<byte[]> seeds() {
    return List.of(
        compressed(Bytes.encode(out -> out.writeString("a word and a word ".repeat(20)))),
        compressed(new byte[5_000]),
        compressed(Bytes.encode(out -> out.writeString("once "))),
        Bytes.with(100, new byte[] {0x1f, 'a', 1, 0, 70}));
  }

  /** A block becomes at most 255 times as long; it is compressed again, by a table of 16 KiB. */
  @Override
  public long mostBytes(int inputLength) {
    return 100_000 + 4 * 255L * inputLength;
  }
}
