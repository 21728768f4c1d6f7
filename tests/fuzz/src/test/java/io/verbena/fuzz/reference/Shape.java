package io.verbena.fuzz.reference;

import io.verbena.api.stub.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The meaning of a type's name in a schema. */
sealed interface Shape {
  record Fixed(int bytes) implements Shape {}

  record Flag() implements Shape {}

  record Text() implements Shape {}

  record Raw() implements Shape {}

  record Maybe(Shape value) implements Shape {}

  /** Elements; in a set each one once. */
  record Elements(Shape element, boolean once) implements Shape {}

  record Pairs(Shape key, Shape value) implements Shape {}

  /** A value of the JDK's: parts one after another, no length before them. */
  record Standard(String name, List<Shape> parts) implements Shape {}

  /** The contract's types by name, because types may be recursive. */
  record Defined(Schema.Type type) implements Shape {}

  Map<String, Integer> WIDTHS =
      Map.of("byte", 1, "short", 2, "char", 2, "int", 4, "long", 8, "float", 4, "double", 8);

  Map<String, List<String>> STANDARD =
      Map.ofEntries(
          Map.entry("java.util.UUID", List.of("long", "long")),
          Map.entry("java.math.BigInteger", List.of("byte[]")),
          Map.entry("java.math.BigDecimal", List.of("int", "java.math.BigInteger")),
          Map.entry("java.time.Instant", List.of("long", "int")),
          Map.entry("java.time.Duration", List.of("long", "int")),
          Map.entry("java.time.Period", List.of("int", "int", "int")),
          Map.entry("java.time.LocalDate", List.of("int", "byte", "byte")),
          Map.entry("java.time.LocalTime", List.of("long")),
          Map.entry(
              "java.time.LocalDateTime", List.of("java.time.LocalDate", "java.time.LocalTime")),
          Map.entry("java.time.ZoneOffset", List.of("int")),
          Map.entry(
              "java.time.OffsetDateTime",
              List.of("java.time.LocalDateTime", "java.time.ZoneOffset")),
          Map.entry("java.time.OffsetTime", List.of("java.time.LocalTime", "java.time.ZoneOffset")),
          Map.entry("java.time.Year", List.of("int")),
          Map.entry("java.time.YearMonth", List.of("int", "byte")),
          Map.entry("java.time.MonthDay", List.of("byte", "byte")));

  static Shape of(String name, Map<String, Schema.Type> types) {
    Schema.Type defined = types.get(name);
    if (defined != null) {
      return new Defined(defined);
    }
    if (name.endsWith("?")) {
      return new Maybe(of(name.substring(0, name.length() - 1), types));
    }
    Integer width = WIDTHS.get(name);
    if (width != null) {
      return new Fixed(width);
    }
    List<String> parts = STANDARD.get(name);
    if (parts != null) {
      return new Standard(name, parts.stream().map(part -> of(part, types)).toList());
    }
    return switch (name) {
      case "boolean" -> new Flag();
      case "java.lang.String" -> new Text();
      case "byte[]", "java.nio.ByteBuffer", "java.lang.foreign.MemorySegment" -> new Raw();
      case "java.util.OptionalInt" -> new Maybe(new Fixed(4));
      case "java.util.OptionalLong", "java.util.OptionalDouble" -> new Maybe(new Fixed(8));
      default -> container(name, types);
    };
  }

  private static Shape container(String name, Map<String, Schema.Type> types) {
    if (name.endsWith("[]")) {
      return new Elements(of(name.substring(0, name.length() - 2), types), false);
    }
    int open = name.indexOf('<');
    if (open < 0 || !name.endsWith(">")) {
      throw new IllegalArgumentException("the reference knows no type " + name);
    }
    List<Shape> inner = new ArrayList<>();
    for (String part : split(name.substring(open + 1, name.length() - 1))) {
      inner.add(of(part, types));
    }
    return switch (name.substring(0, open)) {
      case "java.util.List", "java.util.Collection" -> new Elements(inner.getFirst(), false);
      case "java.util.Set" -> new Elements(inner.getFirst(), true);
      case "java.util.Map" -> new Pairs(inner.getFirst(), inner.getLast());
      case "java.util.Optional" -> new Maybe(inner.getFirst());
      default -> throw new IllegalArgumentException("the reference knows no type " + name);
    };
  }

  /** Splits {@code A,B<C,D>} at its outer comma. */
  private static List<String> split(String inner) {
    int depth = 0;
    for (int i = 0; i < inner.length(); i++) {
      char c = inner.charAt(i);
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (c == ',' && depth == 0) {
        return List.of(inner.substring(0, i), inner.substring(i + 1));
      }
    }
    return List.of(inner);
  }
}
