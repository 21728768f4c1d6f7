package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.io.Output;
import com.esotericsoftware.kryo.kryo5.util.Generics.GenericType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An instance of Kryo with its output buffer. It is dropped after it threw an exception. */
final class Codec {
  private static final int FIRST_BYTES = 512;

  /** The largest buffer that is kept for the next value. */
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

  /** Returns a new array, which a message may keep without a copy. */
  byte[] write(Object value) {
    output.reset();
    kryo.writeClassAndObject(output, value);
    byte[] bytes = output.toBytes();
    if (output.getBuffer().length > MOST_KEPT_BYTES) {
      output.setBuffer(new byte[FIRST_BYTES], -1);
    }
    return bytes;
  }

  /** Reads with a new input, because Kryo's own keeps characters of earlier strings. */
  @Nullable Object read(byte[] bytes) {
    CheckedInput input = new CheckedInput(bytes);
    kryo.start(root);
    Object value = kryo.readClassAndObject(input);
    input.checkEnd();
    return value;
  }
}
