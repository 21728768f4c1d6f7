package io.verbena.fuzz.reference;

import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;

/** Which of the JDK's values there are, and which of several encodings a writer chooses. */
final class Calendar {
  private Calendar() {}

  /** Returns the parts as a writer would give them. */
  static Tree normal(String type, Tree.Row read) throws Malformed {
    List<Tree> parts = read.parts();
    try {
      return switch (type) {
        case "java.math.BigInteger" -> bigInteger((Tree.Raw) parts.getFirst());
        case "java.time.Instant" -> {
          Instant it = Instant.ofEpochSecond(number(parts, 0), number(parts, 1));
          yield seconds(it.getEpochSecond(), it.getNano());
        }
        case "java.time.Duration" -> {
          Duration it = Duration.ofSeconds(number(parts, 0), number(parts, 1));
          yield seconds(it.getSeconds(), it.getNano());
        }
        default -> {
          check(type, parts);
          yield read;
        }
      };
    } catch (DateTimeException | ArithmeticException e) {
      throw new Malformed(type + ": " + e.getMessage());
    }
  }

  /** Throws what the JDK throws where there is no such value. */
  @SuppressWarnings("CheckReturnValue")
  private static void check(String type, List<Tree> parts) {
    switch (type) {
      case "java.time.LocalDate" -> LocalDate.of(part(parts, 0), part(parts, 1), part(parts, 2));
      case "java.time.LocalTime" -> LocalTime.ofNanoOfDay(number(parts, 0));
      case "java.time.ZoneOffset" -> ZoneOffset.ofTotalSeconds(part(parts, 0));
      case "java.time.Year" -> Year.of(part(parts, 0));
      case "java.time.YearMonth" -> YearMonth.of(part(parts, 0), part(parts, 1));
      case "java.time.MonthDay" -> MonthDay.of(part(parts, 0), part(parts, 1));
      default -> {} // any parts will do, or they have been looked at themselves
    }
  }

  private static Tree bigInteger(Tree.Raw bytes) throws Malformed {
    if (bytes.digits().isEmpty()) {
      throw new Malformed("a number of no bytes");
    }
    byte[] shortest = new BigInteger(HexFormat.of().parseHex(bytes.digits())).toByteArray();
    return new Tree.Row(List.of(new Tree.Raw(HexFormat.of().formatHex(shortest))));
  }

  private static Tree seconds(long seconds, int nanos) {
    return new Tree.Row(List.of(new Tree.Fixed(8, seconds), new Tree.Fixed(4, nanos)));
  }

  private static int part(List<Tree> parts, int index) {
    return (int) number(parts, index);
  }

  private static long number(List<Tree> parts, int index) {
    return ((Tree.Fixed) parts.get(index)).value();
  }
}
