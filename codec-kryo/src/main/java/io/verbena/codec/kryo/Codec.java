package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.Generics.GenericType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An instance of Kryo and the buffer that it writes to. Once it threw, it is not used again. */
final class Codec {
  private static final int FIRST_BYTES = 512;

  /** A larger buffer is not kept for the next value. */
  private static final int MOST_KEPT_BYTES = 64 << 10;

  private final StrictKryo kryo;
  private final Place root;
  private final Output output = new Output(FIRST_BYTES, -1);

  Codec(StrictKryo kryo, Class<?> type) {
    this.kryo = kryo;
    this.root = Place.of(new GenericType(type, type, type));
  }

  List<String> layout() {
    return Layout.of(kryo);
  }

  /** Returns an array of its own: a message may keep it, instead of a copy. */
  byte[] write(Object value) {
    output.reset();
    kryo.writeClassAndObject(output, value);
    byte[] bytes = output.toBytes();
    if (output.getBuffer().length > MOST_KEPT_BYTES) {
      output.setBuffer(new byte[FIRST_BYTES], -1);
    }
    return bytes;
  }

  /** Reads with an input of its own: Kryo's keeps characters of the strings that it has read. */
  @Nullable Object read(byte[] bytes) {
    CheckedInput input = new CheckedInput(bytes);
    kryo.starts(root);
    Object value = kryo.readClassAndObject(input);
    input.checkEnd();
    return value;
  }
}
