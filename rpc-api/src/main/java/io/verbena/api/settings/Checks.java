package io.verbena.api.settings;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Checks the values of settings. The message of a failed check contains the setting, its range and
 * the value: {@code maxDepth must be 8 to 1024, not 5}. Stateless and safe for use by any thread.
 */
public final class Checks {
  private static final String POSITIVE = "longer than 0";

  /** Stands for any thread except the owner of confined memory. */
  private static final Thread ANY = Thread.ofVirtual().unstarted(() -> {});

  private Checks() {}

  /**
   * Returns a number that is within a range, ends included. {@code Integer.MAX_VALUE} as the end
   * means none.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static int between(String setting, int value, int least, int most) {
    return (int) between(setting, value, least, most, Integer.MAX_VALUE);
  }

  /**
   * Returns a number that is within a range, ends included. {@code Long.MAX_VALUE} as the end means
   * none.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static long between(String setting, long value, long least, long most) {
    return between(setting, value, least, most, Long.MAX_VALUE);
  }

  private static long between(String setting, long value, long least, long most, long noEnd) {
    String range = most == noEnd ? "at least " + least : least + " to " + most;
    that(value >= least && value <= most, setting, range, value);
    return value;
  }

  /**
   * Returns a time that is within a range, ends included.
   *
   * @param range in words, such as "1 ms to a day"
   * @throws IllegalArgumentException if it is not
   * @throws NullPointerException if it is null
   */
  public static Duration between(
      String setting, @Nullable Duration value, Duration least, Duration most, String range) {
    Duration given = required(setting, range, value);
    that(given.compareTo(least) >= 0 && given.compareTo(most) <= 0, setting, range, given);
    return given;
  }

  /**
   * Returns a time that is longer than 0.
   *
   * @throws IllegalArgumentException if it is not
   * @throws NullPointerException if it is null
   */
  public static Duration positive(String setting, @Nullable Duration value) {
    Duration given = required(setting, POSITIVE, value);
    that(given.isPositive(), setting, POSITIVE, given);
    return given;
  }

  /**
   * Returns a time that is at least as long as another.
   *
   * @param words the other in words, such as "1 ms"
   * @throws IllegalArgumentException if it is shorter
   * @throws NullPointerException if it is null
   */
  public static Duration atLeast(
      String setting, @Nullable Duration value, Duration least, String words) {
    String range = "at least " + words;
    Duration given = required(setting, range, value);
    that(given.compareTo(least) >= 0, setting, range, given);
    return given;
  }

  /**
   * Returns a value that must not be null.
   *
   * @throws NullPointerException if it is null
   */
  public static <T> T required(String setting, @Nullable T value) {
    return required(setting, "given", value);
  }

  private static <T> T required(String setting, String range, @Nullable T value) {
    if (value == null) {
      throw new NullPointerException(message(setting, range, null));
    }
    return value;
  }

  /**
   * Refuses a value unless a condition holds.
   *
   * @throws IllegalArgumentException if it does not hold
   */
  public static void that(boolean holds, String setting, String range, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(message(setting, range, value));
    }
  }

  /**
   * Returns memory that other threads may use.
   *
   * @param freedWith the scope that ends before the memory is freed
   * @throws IllegalArgumentException if the memory is confined to one thread, or has been freed
   */
  public static MemorySegment shared(MemorySegment memory, MemorySegment.Scope freedWith) {
    if (!memory.isAccessibleBy(ANY)) {
      throw new IllegalArgumentException(
          "this memory belongs to one thread, and others must read or write it: allocate it in"
              + " Arena.ofShared() or Arena.ofAuto()");
    }
    if (!memory.scope().isAlive() || !freedWith.isAlive()) {
      throw new IllegalArgumentException("this memory has been freed: its arena is closed");
    }
    return memory;
  }

  private static String message(String setting, String range, @Nullable Object value) {
    return setting + " must be " + range + ", not " + value;
  }
}
