package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers.BooleanArraySerializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers.ObjectArraySerializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers.StringArraySerializer;
import com.esotericsoftware.kryo.serializers.MapSerializer;

/**
 * One of Kryo's serializers of containers, which allocate for a count before an element is read.
 * The first number that each of them reads is that count.
 */
final class Counted<T> extends Serializer<T> {
  private final Serializer<T> serializer;

  private Counted(Serializer<T> serializer) {
    super(serializer.getAcceptsNull(), serializer.isImmutable());
    this.serializer = serializer;
  }

  /** Returns a serializer whose count is checked, if it reads one. */
  static Serializer<?> of(Serializer<?> serializer) {
    return switch (serializer) {
      case CollectionSerializer<?> s -> new Counted<>(s);
      case MapSerializer<?> s -> new Counted<>(s);
      case ObjectArraySerializer s -> new Counted<>(s);
      case StringArraySerializer s -> new Counted<>(s);
      case BooleanArraySerializer s -> new Counted<>(s);
      default -> serializer;
    };
  }

  @Override
  public void write(Kryo kryo, Output output, T value) {
    serializer.write(kryo, output, value);
  }

  @Override
  public T read(Kryo kryo, Input input, Class<? extends T> type) {
    CheckedInput.of(input).expectCount();
    return serializer.read(kryo, input, type);
  }
}
