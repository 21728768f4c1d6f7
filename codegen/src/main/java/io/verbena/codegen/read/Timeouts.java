package io.verbena.codegen.read;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses times such as {@code "250ms"}, at compile time. */
final class Timeouts {
  static final long MALFORMED = -1;

  private static final Pattern TIME = Pattern.compile("(\\d{1,18})\\s*(us|ms|s|m|h)");
  private static final Map<String, Long> NANOS =
      Map.of(
          "us", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "h", 3_600_000_000_000L);

  private Timeouts() {}

  /**
   * Returns nanoseconds; 0 for an empty text; {@link #MALFORMED} for any other that is not a
   * positive time.
   */
  static long parse(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    Matcher matcher = TIME.matcher(text.strip());
    if (!matcher.matches()) {
      return MALFORMED;
    }
    try {
      long nanos =
          Math.multiplyExact(
              Long.parseLong(matcher.group(1)), NANOS.getOrDefault(matcher.group(2), 0L));
      return nanos > 0 ? nanos : MALFORMED;
    } catch (ArithmeticException tooLong) {
      return MALFORMED;
    }
  }
}
