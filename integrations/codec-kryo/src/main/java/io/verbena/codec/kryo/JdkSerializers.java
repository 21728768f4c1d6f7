package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.KryoException;
import com.esotericsoftware.kryo.kryo5.Registration;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import com.esotericsoftware.kryo.kryo5.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.ImmutableSerializer;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serializers of the JDK's classes of which those of Kryo 5.6.2 lose something, or which it lacks.
 */
@SuppressWarnings("EnumOrdinal") // both ends compare the constants before the first call
final class JdkSerializers {
  private JdkSerializers() {}

  /** The list of Stream.toList() has the class of List.of(...), and may have null elements. */
  static final class OfImmutableList extends CollectionSerializer<List<Object>> {
    @Override
    protected List<Object> create(
        Kryo kryo, Input input, Class<? extends List<Object>> type, int size) {
      return new ArrayList<>(size);
    }

    @Override
    public @Nullable List<Object> read(Kryo kryo, Input input, Class<? extends List<Object>> type) {
      List<Object> read = super.read(kryo, input, type);
      if (read == null) {
        return null;
      }
      return read.contains(null) ? read.stream().toList() : List.of(read.toArray());
    }
  }

  /** Where clocks are set back an hour has two offsets, of which Kryo keeps the first. */
  static final class OfZonedDateTime extends ImmutableSerializer<ZonedDateTime> {
    @Override
    public void write(Kryo kryo, Output output, ZonedDateTime time) {
      output.writeVarLong(time.toLocalDate().toEpochDay(), false);
      output.writeVarLong(time.toLocalTime().toNanoOfDay(), true);
      output.writeVarInt(time.getOffset().getTotalSeconds(), false);
      output.writeString(time.getZone().getId());
    }

    /** Keeps the instant where the zone has other rules here than at the peer. */
    @Override
    public ZonedDateTime read(Kryo kryo, Input input, Class<? extends ZonedDateTime> type) {
      LocalDate date = LocalDate.ofEpochDay(input.readVarLong(false));
      LocalTime time = LocalTime.ofNanoOfDay(input.readVarLong(true));
      ZoneOffset offset = ZoneOffset.ofTotalSeconds(input.readVarInt(false));
      ZoneId zone = ZoneId.of(String.valueOf(input.readString()));
      return ZonedDateTime.ofInstant(LocalDateTime.of(date, time), offset, zone);
    }
  }

  /** A value of which there is one in the program. */
  static final class OfConstant<T> extends ImmutableSerializer<T> {
    private final T value;

    OfConstant(T value) {
      this.value = value;
    }

    @Override
    public void write(Kryo kryo, Output output, T same) {}

    @Override
    public T read(Kryo kryo, Input input, Class<? extends T> type) {
      return value;
    }
  }

  /** Writes the enum, a count, and the constants' ordinals. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // the enum is read
  static final class OfEnumSet extends Serializer<EnumSet> {
    @Override
    public void write(Kryo kryo, Output output, EnumSet set) {
      Collection<? extends Enum> some = set.isEmpty() ? EnumSet.complementOf(set) : set;
      if (some.isEmpty()) {
        throw new KryoException("an EnumSet of an enum without constants cannot be written");
      }
      kryo.writeClass(output, some.iterator().next().getDeclaringClass());
      output.writeVarInt(set.size(), true);
      for (Object constant : set) {
        output.writeVarInt(((Enum) constant).ordinal(), true);
      }
    }

    @Override
    public EnumSet read(Kryo kryo, Input input, Class<? extends EnumSet> type) {
      Class<? extends Enum> of = readEnum((StrictKryo) kryo, input, Collection.class);
      Enum[] constants = of.getEnumConstants();
      EnumSet set = EnumSet.noneOf(of);
      int count = CheckedInput.of(input).readCount();
      for (int i = 0; i < count; i++) {
        set.add(constants[input.readVarInt(true)]);
      }
      return set;
    }
  }

  /** Writes the enum, a count, and each ordinal with its value. Kryo has one for a known enum. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // the enum is read
  static final class OfEnumMap extends Serializer<EnumMap> {
    @Override
    public void write(Kryo kryo, Output output, EnumMap map) {
      kryo.writeClass(output, keysOf(map));
      output.writeVarInt(map.size(), true);
      for (Map.Entry<Enum<?>, Object> entry : ((Map<Enum<?>, Object>) map).entrySet()) {
        output.writeVarInt(entry.getKey().ordinal(), true);
        kryo.writeClassAndObject(output, entry.getValue());
      }
    }

    @Override
    public EnumMap read(Kryo kryo, Input input, Class<? extends EnumMap> type) {
      StrictKryo strict = (StrictKryo) kryo;
      Place values = Place.ofValues(strict.current());
      Class<? extends Enum> of = readEnum(strict, input, Map.class);
      Enum[] constants = of.getEnumConstants();
      EnumMap map = new EnumMap(of);
      kryo.reference(map);
      int count = CheckedInput.of(input).readCount();
      Place before = strict.readsAt(values);
      for (int i = 0; i < count; i++) {
        Enum key = constants[input.readVarInt(true)];
        map.put(key, kryo.readClassAndObject(input));
      }
      Place _ = strict.readsAt(before);
      return map;
    }

    /** Only its serial form tells the enum of an empty map. */
    private static Class<?> keysOf(EnumMap map) {
      if (!map.isEmpty()) {
        return ((Enum<?>) map.keySet().iterator().next()).getDeclaringClass();
      }
      List<Class<?>> enums = new ArrayList<>();
      try (ObjectOutputStream stream =
          new ObjectOutputStream(OutputStream.nullOutputStream()) {
            @Override
            protected void annotateClass(Class<?> type) {
              if (type.isEnum()) {
                enums.add(type);
              }
            }
          }) {
        stream.writeObject(map);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return enums.getFirst();
    }
  }

  @SuppressWarnings({"rawtypes", "unchecked"}) // of any enum
  private static Class<? extends Enum> readEnum(StrictKryo kryo, Input input, Class<?> container) {
    Registration read = kryo.readClass(input);
    if (read == null || !read.getType().isEnum()) {
      throw new KryoException("an enum was expected");
    }
    kryo.checkArgument(container, read.getType());
    return read.getType().asSubclass(Enum.class);
  }
}
