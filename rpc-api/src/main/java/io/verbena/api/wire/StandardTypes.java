package io.verbena.api.wire;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
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
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Writes and reads the JDK's value types. Generated code calls it, and serializers written by hand
 * may. An invalid value, such as a 13th month, throws a {@link WireException}. Stateless and safe
 * for use by any thread.
 */
public final class StandardTypes {
  private StandardTypes() {}

  /** Writes 16 bytes. */
  public static void writeUuid(WireOut out, UUID value) {
    out.writeLong(value.getMostSignificantBits());
    out.writeLong(value.getLeastSignificantBits());
  }

  /** Reads 16 bytes. */
  public static UUID readUuid(WireIn in) {
    return new UUID(in.readLong(), in.readLong());
  }

  /** Writes a length and the number in two's complement, most significant byte first. */
  public static void writeBigInteger(WireOut out, BigInteger value) {
    out.writeBytes(value.toByteArray());
  }

  /** Reads a length and a number in two's complement. */
  public static BigInteger readBigInteger(WireIn in) {
    byte[] bytes = in.readBytes();
    if (bytes.length == 0) {
      throw new WireException("a BigInteger takes at least 1 byte");
    }
    return new BigInteger(bytes);
  }

  /** Writes the scale in 4 bytes and the unscaled value. */
  public static void writeBigDecimal(WireOut out, BigDecimal value) {
    out.writeInt(value.scale());
    writeBigInteger(out, value.unscaledValue());
  }

  /** Reads scale and unscaled value. */
  public static BigDecimal readBigDecimal(WireIn in) {
    int scale = in.readInt();
    return new BigDecimal(readBigInteger(in), scale);
  }

  /** Writes whole seconds in 8 bytes, nanoseconds in 4. */
  public static void writeInstant(WireOut out, Instant value) {
    out.writeLong(value.getEpochSecond());
    out.writeInt(value.getNano());
  }

  /** Reads seconds and nanoseconds. */
  public static Instant readInstant(WireIn in) {
    long seconds = in.readLong();
    int nanos = in.readInt();
    return valid(() -> Instant.ofEpochSecond(seconds, nanos));
  }

  /** Writes whole seconds in 8 bytes, nanoseconds in 4. */
  public static void writeDuration(WireOut out, Duration value) {
    out.writeLong(value.getSeconds());
    out.writeInt(value.getNano());
  }

  /** Reads seconds and nanoseconds. */
  public static Duration readDuration(WireIn in) {
    long seconds = in.readLong();
    int nanos = in.readInt();
    return valid(() -> Duration.ofSeconds(seconds, nanos));
  }

  /** Writes years, months and days, 4 bytes each. */
  public static void writePeriod(WireOut out, Period value) {
    out.writeInt(value.getYears());
    out.writeInt(value.getMonths());
    out.writeInt(value.getDays());
  }

  /** Reads years, months and days. */
  public static Period readPeriod(WireIn in) {
    return Period.of(in.readInt(), in.readInt(), in.readInt());
  }

  /** Writes the year in 4 bytes, month and day in 1 each. */
  public static void writeLocalDate(WireOut out, LocalDate value) {
    out.writeInt(value.getYear());
    out.writeByte(value.getMonthValue());
    out.writeByte(value.getDayOfMonth());
  }

  /** Reads year, month and day. */
  public static LocalDate readLocalDate(WireIn in) {
    int year = in.readInt();
    int month = in.readByte();
    int day = in.readByte();
    return valid(() -> LocalDate.of(year, month, day));
  }

  /** Writes the nanosecond of the day in 8 bytes. */
  public static void writeLocalTime(WireOut out, LocalTime value) {
    out.writeLong(value.toNanoOfDay());
  }

  /** Reads the nanosecond of the day. */
  public static LocalTime readLocalTime(WireIn in) {
    long nanos = in.readLong();
    return valid(() -> LocalTime.ofNanoOfDay(nanos));
  }

  /** Writes date, then time. */
  public static void writeLocalDateTime(WireOut out, LocalDateTime value) {
    writeLocalDate(out, value.toLocalDate());
    writeLocalTime(out, value.toLocalTime());
  }

  /** Reads date, then time. */
  public static LocalDateTime readLocalDateTime(WireIn in) {
    return LocalDateTime.of(readLocalDate(in), readLocalTime(in));
  }

  /** Writes the offset from UTC in seconds, 4 bytes. */
  public static void writeZoneOffset(WireOut out, ZoneOffset value) {
    out.writeInt(value.getTotalSeconds());
  }

  /** Reads the offset from UTC. */
  public static ZoneOffset readZoneOffset(WireIn in) {
    int seconds = in.readInt();
    return valid(() -> ZoneOffset.ofTotalSeconds(seconds));
  }

  /** Writes the zone's name. */
  public static void writeZoneId(WireOut out, ZoneId value) {
    out.writeString(value.getId());
  }

  /** Reads a zone's name, which this JDK must know. */
  public static ZoneId readZoneId(WireIn in) {
    String id = in.readString();
    return valid(() -> ZoneId.of(id));
  }

  /** Writes date and time, then the offset. */
  public static void writeOffsetDateTime(WireOut out, OffsetDateTime value) {
    writeLocalDateTime(out, value.toLocalDateTime());
    writeZoneOffset(out, value.getOffset());
  }

  /** Reads date and time, then the offset. */
  public static OffsetDateTime readOffsetDateTime(WireIn in) {
    return OffsetDateTime.of(readLocalDateTime(in), readZoneOffset(in));
  }

  /** Writes time, then the offset. */
  public static void writeOffsetTime(WireOut out, OffsetTime value) {
    writeLocalTime(out, value.toLocalTime());
    writeZoneOffset(out, value.getOffset());
  }

  /** Reads time, then the offset. */
  public static OffsetTime readOffsetTime(WireIn in) {
    return OffsetTime.of(readLocalTime(in), readZoneOffset(in));
  }

  /**
   * Writes date and time, the offset and the zone. The offset distinguishes the two hours of an
   * overlap.
   */
  public static void writeZonedDateTime(WireOut out, ZonedDateTime value) {
    writeLocalDateTime(out, value.toLocalDateTime());
    writeZoneOffset(out, value.getOffset());
    writeZoneId(out, value.getZone());
  }

  /**
   * Reads date and time, offset and zone. The instant is that of the writer. If the two JDKs have
   * different rules for the zone, the local time follows the rules of this one.
   */
  public static ZonedDateTime readZonedDateTime(WireIn in) {
    LocalDateTime time = readLocalDateTime(in);
    ZoneOffset offset = readZoneOffset(in);
    ZoneId zone = readZoneId(in);
    return valid(() -> ZonedDateTime.ofInstant(time, offset, zone));
  }

  /** Writes 4 bytes. */
  public static void writeYear(WireOut out, Year value) {
    out.writeInt(value.getValue());
  }

  /** Reads 4 bytes. */
  public static Year readYear(WireIn in) {
    int year = in.readInt();
    return valid(() -> Year.of(year));
  }

  /** Writes the year in 4 bytes, the month in 1. */
  public static void writeYearMonth(WireOut out, YearMonth value) {
    out.writeInt(value.getYear());
    out.writeByte(value.getMonthValue());
  }

  /** Reads year and month. */
  public static YearMonth readYearMonth(WireIn in) {
    int year = in.readInt();
    int month = in.readByte();
    return valid(() -> YearMonth.of(year, month));
  }

  /** Writes month and day in 1 byte each. */
  public static void writeMonthDay(WireOut out, MonthDay value) {
    out.writeByte(value.getMonthValue());
    out.writeByte(value.getDayOfMonth());
  }

  /** Reads month and day. */
  public static MonthDay readMonthDay(WireIn in) {
    int month = in.readByte();
    int day = in.readByte();
    return valid(() -> MonthDay.of(month, day));
  }

  /** Writes a boolean, then the number if there is one. */
  public static void writeOptionalInt(WireOut out, OptionalInt value) {
    out.writeBoolean(value.isPresent());
    value.ifPresent(out::writeInt);
  }

  /** Reads a boolean, then the number if there is one. */
  public static OptionalInt readOptionalInt(WireIn in) {
    return in.readBoolean() ? OptionalInt.of(in.readInt()) : OptionalInt.empty();
  }

  /** Writes a boolean, then the number if there is one. */
  public static void writeOptionalLong(WireOut out, OptionalLong value) {
    out.writeBoolean(value.isPresent());
    value.ifPresent(out::writeLong);
  }

  /** Reads a boolean, then the number if there is one. */
  public static OptionalLong readOptionalLong(WireIn in) {
    return in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty();
  }

  /** Writes a boolean, then the number if there is one. */
  public static void writeOptionalDouble(WireOut out, OptionalDouble value) {
    out.writeBoolean(value.isPresent());
    value.ifPresent(out::writeDouble);
  }

  /** Reads a boolean, then the number if there is one. */
  public static OptionalDouble readOptionalDouble(WireIn in) {
    return in.readBoolean() ? OptionalDouble.of(in.readDouble()) : OptionalDouble.empty();
  }

  private static <T> T valid(Supplier<T> value) {
    try {
      return value.get();
    } catch (DateTimeException | ArithmeticException e) {
      throw new WireException("a date or time is out of range: " + e.getMessage());
    }
  }

  /** Writes only that there is a landing. The landing itself is never sent. */
  public static void writeLanding(WireOut out, Landing value) {
    out.writeByte(0);
  }

  /** Reads a landing, which stands for the caller's. */
  public static Landing readLanding(WireIn in) {
    in.readByte();
    return new Landing.AtCaller();
  }

  /** Always throws, because a received object is never part of a message. */
  @SuppressWarnings("DoNotCallSuggester") // generated code names it as a method's reader
  public static Received readReceived(WireIn in) {
    throw new WireException("the reply is an object for a landing, but the call has no landing");
  }
}
