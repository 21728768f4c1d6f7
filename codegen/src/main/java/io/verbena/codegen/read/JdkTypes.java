package io.verbena.codegen.read;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.verbena.codegen.model.Shape.Leaf;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.lang.model.type.TypeKind;
import org.jspecify.annotations.Nullable;

/** The types of the JDK that one call writes. */
final class JdkTypes {
  static final Leaf BYTES =
      new Leaf(
          "byte[]",
          ArrayTypeName.of(TypeName.BYTE),
          "Bytes",
          false,
          1,
          CodeBlock.of("new byte[0]"));

  private static final Map<String, Leaf> BY_NAME = new HashMap<>();

  static {
    primitive(TypeName.BOOLEAN, "Boolean", 1, "false");
    primitive(TypeName.BYTE, "Byte", 1, "(byte) 0");
    primitive(TypeName.SHORT, "Short", 2, "(short) 0");
    primitive(TypeName.CHAR, "Char", 2, "(char) 0");
    primitive(TypeName.INT, "Int", 4, "0");
    primitive(TypeName.LONG, "Long", 8, "0L");
    primitive(TypeName.FLOAT, "Float", 4, "0f");
    primitive(TypeName.DOUBLE, "Double", 8, "0d");
    onWire("java.lang.String", "String");
    onWire("java.nio.ByteBuffer", "Buffer");
    onWire("java.lang.foreign.MemorySegment", "Segment");
    standard("java.util.UUID", "Uuid", 16, null);
    standard("java.math.BigInteger", "BigInteger", 2, null);
    standard("java.math.BigDecimal", "BigDecimal", 6, null);
    standard("java.time.Instant", "Instant", 12, null);
    standard("java.time.Duration", "Duration", 12, null);
    standard("java.time.Period", "Period", 12, null);
    standard("java.time.LocalDate", "LocalDate", 6, null);
    standard("java.time.LocalTime", "LocalTime", 8, null);
    standard("java.time.LocalDateTime", "LocalDateTime", 14, null);
    standard("java.time.ZoneOffset", "ZoneOffset", 4, null);
    standard("java.time.ZoneId", "ZoneId", 1, null);
    standard("java.time.OffsetDateTime", "OffsetDateTime", 18, null);
    standard("java.time.OffsetTime", "OffsetTime", 12, null);
    standard("java.time.ZonedDateTime", "ZonedDateTime", 19, null);
    standard("java.time.Year", "Year", 4, null);
    standard("java.time.YearMonth", "YearMonth", 5, null);
    standard("java.time.MonthDay", "MonthDay", 2, null);
    optional("java.util.OptionalInt", "OptionalInt");
    optional("java.util.OptionalLong", "OptionalLong");
    optional("java.util.OptionalDouble", "OptionalDouble");
  }

  private JdkTypes() {}

  /** Returns the leaf of a type, by its qualified name; null if the type has members to read. */
  static @Nullable Leaf named(String name) {
    return BY_NAME.get(name);
  }

  /** Returns the leaf of a primitive type. */
  static @Nullable Leaf primitive(TypeKind kind) {
    return BY_NAME.get(kind.name().toLowerCase(Locale.ROOT));
  }

  private static void primitive(TypeName type, String method, int bytes, String defaultValue) {
    Leaf leaf = new Leaf(type.toString(), type, method, false, bytes, CodeBlock.of(defaultValue));
    BY_NAME.put(type.toString(), leaf);
    BY_NAME.put(type.box().toString(), leaf.as(type.box()));
  }

  private static void onWire(String type, String method) {
    BY_NAME.put(type, new Leaf(type, ClassName.bestGuess(type), method, false, 1, null));
  }

  private static void optional(String type, String method) {
    standard(type, method, 1, CodeBlock.of("$T.empty()", ClassName.bestGuess(type)));
  }

  private static void standard(
      String type, String method, int bytes, @Nullable CodeBlock defaultValue) {
    BY_NAME.put(type, new Leaf(type, ClassName.bestGuess(type), method, true, bytes, defaultValue));
  }
}
