package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.verbena.api.wire.StandardTypes;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The JDK's types, by their names in a contract. */
final class JsonJdkTypes {
  private static final Map<String, JdkType> BY_NAME =
      Map.ofEntries(
          Map.entry("boolean", Numbers.flag()),
          Numbers.whole(
              "byte",
              Byte.MIN_VALUE,
              Byte.MAX_VALUE,
              (out, v) -> out.writeByte(v.intValue()),
              WireIn::readByte),
          Numbers.whole(
              "short",
              Short.MIN_VALUE,
              Short.MAX_VALUE,
              (out, v) -> out.writeShort(v.intValue()),
              WireIn::readShort),
          Numbers.whole(
              "int",
              Integer.MIN_VALUE,
              Integer.MAX_VALUE,
              (out, v) -> out.writeInt(v.intValue()),
              WireIn::readInt),
          Numbers.whole(
              "long", Long.MIN_VALUE, Long.MAX_VALUE, WireOut::writeLong, WireIn::readLong),
          Map.entry("float", Numbers.float32()),
          Map.entry("double", Numbers.float64()),
          Map.entry("char", character()),
          text(
              "java.lang.String",
              "a string",
              text -> text,
              WireOut::writeString,
              WireIn::readString),
          Map.entry("byte[]", bytes(WireOut::writeBytes, WireIn::readBytes, TextNode.valueOf(""))),
          Map.entry(
              "java.nio.ByteBuffer",
              bytes(
                  (out, v) -> out.writeBuffer(ByteBuffer.wrap(v)),
                  in -> in.readBuffer().array(),
                  null)),
          Map.entry(
              "java.lang.foreign.MemorySegment",
              bytes(
                  (out, v) -> out.writeSegment(MemorySegment.ofArray(v)),
                  in -> in.readSegment().toArray(ValueLayout.JAVA_BYTE),
                  null)),
          text(
              "java.util.UUID",
              "a UUID",
              UUID::fromString,
              StandardTypes::writeUuid,
              StandardTypes::readUuid),
          Map.entry("java.math.BigInteger", Numbers.integer()),
          Map.entry("java.math.BigDecimal", Numbers.decimal()),
          text(
              "java.time.Instant",
              "an instant such as 2030-01-31T12:00:00Z",
              Instant::parse,
              StandardTypes::writeInstant,
              StandardTypes::readInstant),
          text(
              "java.time.Duration",
              "a duration such as PT1M30S",
              Duration::parse,
              StandardTypes::writeDuration,
              StandardTypes::readDuration),
          text(
              "java.time.Period",
              "a period such as P1Y2M3D",
              Period::parse,
              StandardTypes::writePeriod,
              StandardTypes::readPeriod),
          text(
              "java.time.LocalDate",
              "a date such as 2030-01-31",
              LocalDate::parse,
              StandardTypes::writeLocalDate,
              StandardTypes::readLocalDate),
          text(
              "java.time.LocalTime",
              "a time such as 12:00:00",
              LocalTime::parse,
              StandardTypes::writeLocalTime,
              StandardTypes::readLocalTime),
          text(
              "java.time.LocalDateTime",
              "a date and time such as 2030-01-31T12:00:00",
              LocalDateTime::parse,
              StandardTypes::writeLocalDateTime,
              StandardTypes::readLocalDateTime),
          text(
              "java.time.ZoneOffset",
              "an offset such as +01:00",
              ZoneOffset::of,
              StandardTypes::writeZoneOffset,
              StandardTypes::readZoneOffset),
          text(
              "java.time.ZoneId",
              "a zone such as Europe/Berlin",
              ZoneId::of,
              StandardTypes::writeZoneId,
              StandardTypes::readZoneId),
          text(
              "java.time.OffsetDateTime",
              "a date and time such as 2030-01-31T12:00:00+01:00",
              OffsetDateTime::parse,
              StandardTypes::writeOffsetDateTime,
              StandardTypes::readOffsetDateTime),
          text(
              "java.time.OffsetTime",
              "a time such as 12:00:00+01:00",
              OffsetTime::parse,
              StandardTypes::writeOffsetTime,
              StandardTypes::readOffsetTime),
          text(
              "java.time.ZonedDateTime",
              "a date and time such as 2030-01-31T12:00:00+01:00[Europe/Berlin]",
              ZonedDateTime::parse,
              StandardTypes::writeZonedDateTime,
              StandardTypes::readZonedDateTime),
          text(
              "java.time.Year",
              "a year such as \"2030\"",
              text -> Year.of(Integer.parseInt(text)),
              StandardTypes::writeYear,
              StandardTypes::readYear),
          text(
              "java.time.YearMonth",
              "a month such as 2030-01",
              YearMonth::parse,
              StandardTypes::writeYearMonth,
              StandardTypes::readYearMonth),
          text(
              "java.time.MonthDay",
              "a day such as --01-31",
              MonthDay::parse,
              StandardTypes::writeMonthDay,
              StandardTypes::readMonthDay));

  private JsonJdkTypes() {}

  /** Returns the type of this name; null if there is none. */
  static @Nullable JdkType named(String name) {
    return BY_NAME.get(name);
  }

  /**
   * Returns the content of an {@code OptionalInt}, {@code OptionalLong} or {@code OptionalDouble};
   * null for any other name.
   */
  static JsonShape.@Nullable Leaf inOptional(String name) {
    return switch (name) {
      case "java.util.OptionalInt" -> leaf("int");
      case "java.util.OptionalLong" -> leaf("long");
      case "java.util.OptionalDouble" -> leaf("double");
      default -> null;
    };
  }

  private static JsonShape.Leaf leaf(String name) {
    return new JsonShape.Leaf(name, Objects.requireNonNull(BY_NAME.get(name)));
  }

  private static <T> Map.Entry<String, JdkType> text(
      String name,
      String expected,
      Function<String, T> ofText,
      BiConsumer<WireOut, T> write,
      Function<WireIn, T> read) {
    return Map.entry(
        name,
        JdkType.of(
            expected,
            ofText,
            value -> false,
            write,
            in -> TextNode.valueOf(read.apply(in).toString()),
            null));
  }

  private static JdkType character() {
    return JdkType.of(
        "a string of one character (UTF-16)",
        JsonJdkTypes::characterOf,
        value -> false,
        WireOut::writeChar,
        in -> TextNode.valueOf(String.valueOf(in.readChar())),
        TextNode.valueOf("\0"));
  }

  private static char characterOf(String text) {
    if (text.length() != 1) {
      throw new IllegalArgumentException("not one");
    }
    return text.charAt(0);
  }

  private static JdkType bytes(
      BiConsumer<WireOut, byte[]> write, Function<WireIn, byte[]> read, @Nullable JsonNode none) {
    return JdkType.of(
        "bytes as base64",
        text -> Base64.getDecoder().decode(text),
        value -> false,
        write,
        in -> BinaryNode.valueOf(read.apply(in)),
        none);
  }
}
