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
import io.verbena.codec.kryo.StrictKryo.Place;
import java.util.Set;

/**
 * One of Kryo's serializers of containers, which allocate for a count before an element is read.
 * The first number that each of them reads is that count.
 */
final class Counted<T> extends Serializer<T> {
  private final Serializer<T> serializer;
  private final Place elements;

  private Counted(Serializer<T> serializer, Place elements) {
    super(serializer.getAcceptsNull(), serializer.isImmutable());
    this.serializer = serializer;
    this.elements = elements;
  }

  /**
   * Returns a serializer whose count is checked, if it reads one.
   *
   * @param type what it reads
   */
  static Serializer<?> of(Serializer<?> serializer, Class<?> type) {
    Place elements = Set.class.isAssignableFrom(type) ? Place.IN_SET : Place.ELSEWHERE;
    return switch (serializer) {
      case CollectionSerializer<?> s -> new Counted<>(s, elements);
      case MapSerializer<?> s -> new Counted<>(s, Place.AS_KEY);
      case ObjectArraySerializer s -> new Counted<>(s, elements);
      case StringArraySerializer s -> new Counted<>(s, elements);
      case BooleanArraySerializer s -> new Counted<>(s, elements);
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
    StrictKryo strict = (StrictKryo) kryo;
    Place before = strict.readsAt(elements);
    T read = serializer.read(kryo, input, type);
    Place _ = strict.readsAt(before);
    return read;
  }
}
