package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import com.esotericsoftware.kryo.kryo5.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultArraySerializers.BooleanArraySerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultArraySerializers.ObjectArraySerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultArraySerializers.StringArraySerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.ArraysAsListSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.CollectionsSingletonListSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.CollectionsSingletonMapSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.CollectionsSingletonSetSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.ConcurrentSkipListMapSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.PriorityQueueSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.TreeMapSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.TreeSetSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.MapSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.RecordSerializer;
import com.esotericsoftware.kryo.kryo5.util.Generics.GenericType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a serializer of Kryo's for values that hold other values, and announces the place of each
 * of them. The serializer of a container allocates memory for its count, the first number that it
 * reads, before it reads an element.
 */
final class Counted<T> extends Serializer<T> {
  static final String IMMUTABLE = "java.util.ImmutableCollections$";
  private static final String KRYOS = Kryo.class.getPackageName() + ".";

  private final Serializer<T> serializer;
  private final boolean isCounted;

  /** Whether it reads into a mutable container first, which nothing may refer to. */
  private final boolean isMadeLast;

  private final Function<@Nullable GenericType, Place> places;

  private Counted(
      Serializer<T> serializer,
      boolean isCounted,
      boolean isMadeLast,
      Function<@Nullable GenericType, Place> places) {
    super(serializer.getAcceptsNull(), serializer.isImmutable());
    this.serializer = serializer;
    this.isCounted = isCounted;
    this.isMadeLast = isMadeLast;
    this.places = places;
  }

  /**
   * Returns a serializer whose count is checked, if it reads one.
   *
   * @param type the type that it reads
   */
  static Serializer<?> of(Serializer<?> serializer, Class<?> type) {
    boolean isSet = Set.class.isAssignableFrom(type);
    return switch (serializer) {
      case CollectionSerializer<?> s ->
          container(s, type, declared -> Place.ofElements(isSet, declared));
      case MapSerializer<?> s -> container(s, type, Place::ofEntries);
      case CollectionsSingletonListSerializer s ->
          new Counted<>(s, false, false, declared -> Place.ofElements(false, declared));
      case CollectionsSingletonSetSerializer s ->
          new Counted<>(s, false, false, declared -> Place.ofElements(true, declared));
      case CollectionsSingletonMapSerializer s -> new Counted<>(s, false, false, Place::ofEntries);
      case ObjectArraySerializer s -> elements(s, type);
      case StringArraySerializer s -> elements(s, type);
      case BooleanArraySerializer s -> elements(s, type);
      case RecordSerializer<?> s -> components(s, type);
      default -> serializer;
    };
  }

  private static Counted<?> container(
      Serializer<?> serializer, Class<?> type, Function<@Nullable GenericType, Place> places) {
    Function<@Nullable GenericType, Place> known = places;
    if (!isKnown(serializer)) {
      known = declared -> places.apply(null); // it may read other values before the elements
    } else if (readsComparator(serializer)) {
      known = places.andThen(Place::behindComparator);
    }
    boolean isMadeLast =
        serializer instanceof ArraysAsListSerializer || type.getName().startsWith(IMMUTABLE);
    return new Counted<>(serializer, true, isMadeLast, known);
  }

  private static boolean isKnown(Serializer<?> serializer) {
    return serializer.getClass().getName().startsWith(KRYOS)
        || serializer instanceof JdkSerializers.OfImmutableList;
  }

  private static boolean readsComparator(Serializer<?> serializer) {
    return serializer instanceof TreeMapSerializer
        || serializer instanceof TreeSetSerializer
        || serializer instanceof PriorityQueueSerializer
        || serializer instanceof ConcurrentSkipListMapSerializer;
  }

  private static Counted<?> elements(Serializer<?> serializer, Class<?> array) {
    Class<?> component = array.getComponentType();
    Place each = Place.of(new GenericType(component, component, component));
    return new Counted<>(serializer, true, false, declared -> each);
  }

  /** Kryo sorts components by name. */
  private static Serializer<?> components(Serializer<?> serializer, Class<?> type) {
    GenericType[] declared =
        Arrays.stream(type.getRecordComponents())
            .sorted(Comparator.comparing(RecordComponent::getName))
            .map(component -> new GenericType(type, type, component.getGenericType()))
            .toArray(GenericType[]::new);
    if (declared.length == 0) {
      return serializer;
    }
    Place first = Place.of(declared);
    return new Counted<>(serializer, false, false, whole -> first);
  }

  /** Returns whether it reads a container, not a record. */
  boolean isCounted() {
    return isCounted;
  }

  @Override
  public void write(Kryo kryo, Output output, T value) {
    serializer.write(kryo, output, value);
  }

  @Override
  public T read(Kryo kryo, Input input, Class<? extends T> type) {
    if (isCounted) {
      CheckedInput.of(input).expectCount();
    }
    StrictKryo strict = (StrictKryo) kryo;
    Place before = strict.readsAt(places.apply(strict.current()));
    strict.setSkipReference(isMadeLast);
    T read = serializer.read(kryo, input, type);
    strict.setSkipReference(false);
    Place _ = strict.readsAt(before);
    return read;
  }
}
