package io.verbena.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values at, about and far beyond the ends of a setting.
 *
 * @param range in words, as messages give it
 * @param taken those within
 * @param refused those beyond
 */
public record Ends(String range, List<Object> taken, List<@Nullable Object> refused) {
  /** The longest time there is. */
  public static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

  private static final Duration NANO = Duration.ofNanos(1);
  private static final Duration BEFORE_ALL = Duration.ofSeconds(Long.MIN_VALUE);

  /** Of a number. */
  public static Ends of(int least, int most) {
    Ends ends = new Ends(words(least, most, Integer.MAX_VALUE), new ArrayList<>(), nothing());
    long[] values = {
      least, most, least - 1L, most + 1L, 0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE
    };
    for (long value : values) {
      if (value == (int) value) {
        ends.add((int) value, value >= least && value <= most);
      }
    }
    return ends;
  }

  /** Of a long number. */
  public static Ends of(long least, long most) {
    Ends ends = new Ends(words(least, most, Long.MAX_VALUE), new ArrayList<>(), nothing());
    long[] values = {least, most, least - 1, most + 1, 0, -1, Long.MAX_VALUE, Long.MIN_VALUE};
    for (long value : values) {
      ends.add(value, value >= least && value <= most);
    }
    return ends;
  }

  private static String words(long least, long most, long unlimited) {
    return most == unlimited ? "at least " + least : least + " to " + most;
  }

  /**
   * Of a time, which may not be null.
   *
   * @param range in words
   */
  public static Ends of(String range, Duration least, Duration most) {
    Ends ends = new Ends(range, new ArrayList<>(), nothing());
    ends.refused.add(null);
    ends.add(least, true);
    ends.add(most, true);
    ends.add(least.minus(NANO), false);
    if (most.compareTo(FOR_EVER) < 0) {
      ends.add(most.plus(NANO), false);
    }
    for (Duration value : List.of(Duration.ZERO, Duration.ofNanos(-1), FOR_EVER, BEFORE_ALL)) {
      ends.add(value, value.compareTo(least) >= 0 && value.compareTo(most) <= 0);
    }
    return ends;
  }

  /** Of what may not be null. */
  public static Ends required(Object... taken) {
    List<@Nullable Object> refused = nothing();
    refused.add(null);
    return new Ends("required", List.of(taken), refused);
  }

  /** Of what may be anything. */
  public static Ends any(Object... taken) {
    return new Ends("anything", List.of(taken), nothing());
  }

  /** Returns these, where null stands for what is not set. */
  public Ends orNull() {
    return new Ends(range, taken, refused.stream().filter(value -> value != null).toList());
  }

  private void add(Object value, boolean within) {
    if (within && !taken.contains(value)) {
      taken.add(value);
    } else if (!within && !refused.contains(value)) {
      refused.add(value);
    }
  }

  private static List<@Nullable Object> nothing() {
    return new ArrayList<>();
  }
}
