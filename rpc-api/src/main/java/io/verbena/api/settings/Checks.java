package io.verbena.api.settings;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what is out of a setting's range, where it is set. Each message says what was set, what
 * its range is, and to what it was set: {@code maxDepth is 8 to 1024, not 5}.
 */
public final class Checks {
  private static final String POSITIVE = "longer than 0";

  /** Stands for any thread but the one that memory belongs to. */
  private static final Thread ANY = Thread.ofVirtual().unstarted(() -> {});

  private Checks() {}

  /** Returns a number that is within a range; {@code Integer.MAX_VALUE} is no end. */
  public static int between(String setting, int value, int least, int most) {
    return (int) between(setting, value, least, most, Integer.MAX_VALUE);
  }

  /** Returns a number that is within a range; {@code Long.MAX_VALUE} is no end. */
  public static long between(String setting, long value, long least, long most) {
    return between(setting, value, least, most, Long.MAX_VALUE);
  }

  private static long between(String setting, long value, long least, long most, long noEnd) {
    String range = most == noEnd ? "at least " + least : least + " to " + most;
    that(value >= least && value <= most, setting, range, value);
    return value;
  }

  /**
   * Returns a time that is within a range.
   *
   * @param range in words, as "1 ms to a day"
   * @throws NullPointerException if it is null
   */
  public static Duration between(
      String setting, @Nullable Duration value, Duration least, Duration most, String range) {
    Duration given = required(setting, range, value);
    that(given.compareTo(least) >= 0 && given.compareTo(most) <= 0, setting, range, given);
    return given;
  }

  /**
   * Returns a time that is longer than none.
   *
   * @throws NullPointerException if it is null
   */
  public static Duration positive(String setting, @Nullable Duration value) {
    Duration given = required(setting, POSITIVE, value);
    that(given.isPositive(), setting, POSITIVE, given);
    return given;
  }

  /**
   * Returns a time that is no shorter.
   *
   * @param words the least, as "1 ms"
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
   * Returns what has to be set to something.
   *
   * @throws NullPointerException if it is null
   */
  public static <T> T required(String setting, @Nullable T value) {
    return required(setting, "required", value);
  }

  private static <T> T required(String setting, String range, @Nullable T value) {
    if (value == null) {
      throw new NullPointerException(message(setting, range, null));
    }
    return value;
  }

  /** Refuses a value unless something holds. */
  public static void that(boolean holds, String setting, String range, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(message(setting, range, value));
    }
  }

  /**
   * Returns memory that can be handed to other threads.
   *
   * @param freedWith what else frees it
   * @throws IllegalArgumentException if it belongs to one thread, or has been freed
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
    return setting + " is " + range + ", not " + value;
  }
}
