package io.verbena.codec.kryo;

import io.verbena.api.wire.Serializer;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import java.nio.ByteBuffer;

/** A serializer's bytes, without the length before them. */
final class Encoded {
  private static final int MOST_BYTES = 4 << 20;
  private static final int MOST_DEPTH = 16;

  private Encoded() {}

  static <T> byte[] write(Serializer<T> serializer, T value) {
    WireEncoder out = new WireEncoder();
    out.start(ByteBuffer.allocate(64), 0, MOST_BYTES, MOST_DEPTH);
    serializer.write(out, value);
    return decoder(out.buffer(), out.length()).readBytes();
  }

  static <T> T read(Serializer<T> serializer, byte[] bytes) {
    WireEncoder out = new WireEncoder();
    out.start(ByteBuffer.allocate(64), 0, MOST_BYTES, MOST_DEPTH);
    out.writeBytes(bytes);
    return serializer.read(decoder(out.buffer(), out.length()));
  }

  static <T> T copy(Serializer<T> serializer, T value) {
    return read(serializer, write(serializer, value));
  }

  private static WireDecoder decoder(ByteBuffer buffer, int length) {
    WireDecoder in = new WireDecoder();
    in.start(buffer, 0, length, MOST_DEPTH);
    return in;
  }
}
