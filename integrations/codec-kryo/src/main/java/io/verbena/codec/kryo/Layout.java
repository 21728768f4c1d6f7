package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Registration;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.serializers.FieldSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.FieldSerializer.CachedField;
import com.esotericsoftware.kryo.kryo5.serializers.TaggedFieldSerializer;
import com.esotericsoftware.kryo.kryo5.util.NoGenerics;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The layout that both ends must share, because the bytes hold no names: a line for each registered
 * class, with everything that decides how Kryo writes it.
 */
final class Layout {
  private Layout() {}

  static List<String> of(StrictKryo kryo) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "references %s, generics %s"
            .formatted(
                kryo.getReferences() ? "on" : "off",
                kryo.getGenerics() == NoGenerics.INSTANCE ? "off" : "on"));
    for (Registration registration : kryo.registrations()) {
      if (registration.getId() >= StrictKryo.FIRST_ID) {
        lines.add(line(registration));
      }
    }
    return List.copyOf(lines);
  }

  /**
   * A final class has no subclass, so the id of the class is not written. The other end may have
   * another locale, in which {@code %d} has other digits.
   */
  private static String line(Registration registration) {
    Class<?> type = registration.getType();
    boolean isFinal = Modifier.isFinal(type.getModifiers());
    return "%s %s%s: %s"
        .formatted(
            registration.getId(),
            isFinal ? "final " : "",
            type.getName(),
            content(type, registration.getSerializer()));
  }

  private static String content(Class<?> type, Serializer<?> serializer) {
    if (type.isEnum()) {
      return joined(Arrays.stream(type.getEnumConstants()).map(one -> ((Enum<?>) one).name()));
    }
    return switch (serializer) {
      case TaggedFieldSerializer<?> s -> "by tags";
      case FieldSerializer<?> s -> joined(Arrays.stream(s.getFields()).map(Layout::field));
      case Counted<?> s when s.isCounted() -> "elements";
      case Counted<?> s ->
          joined(
              Arrays.stream(type.getRecordComponents())
                  .sorted(Comparator.comparing(RecordComponent::getName))
                  .map(c -> c.getName() + " " + c.getGenericType().getTypeName()));
      default -> "by " + serializer.getClass().getName();
    };
  }

  private static String field(CachedField field) {
    return field.getName()
        + " "
        + field.getField().getGenericType().getTypeName()
        + (field.getCanBeNull() ? "" : " not null");
  }

  private static String joined(Stream<String> parts) {
    return parts.collect(Collectors.joining("; "));
  }
}
