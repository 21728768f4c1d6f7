package io.verbena.link.runtime;

import io.verbena.api.settings.OneLine;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A place in the code that writes to the log because of a peer or of user code. Such causes may
 * occur a million times a second, on an event loop. So only the first {@value #AT_ONCE} lines are
 * written, and then one in ten seconds, with the number of omitted lines. An omitted line costs
 * only a counter. Texts of others are written as {@linkplain OneLine one line}. The limit holds for
 * a place in the whole process, not for a peer, because a peer may return under another name. Safe
 * for use by any thread.
 */
public final class ThrottledLog {
  /** The number of lines that are written at once, so that rare events are logged in full. */
  public static final int AT_ONCE = 10;

  /** The time until one more line may be written. */
  public static final Duration ONE_MORE = Duration.ofSeconds(10);

  private static final long ONE_MORE_NANOS = ONE_MORE.toNanos();
  private static final Map<String, ThrottledLog> PLACES = new ConcurrentHashMap<>();

  private final Logger log;
  private final NanoClock clock;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong();

  /**
   * The time when a leaky bucket will be empty. Each line adds {@link #ONE_MORE}, and the bucket
   * holds {@link #AT_ONCE} of them.
   */
  private final AtomicLong emptyAt;

  /** Makes a place with its own clock, which {@link #counts} does not contain. */
  public ThrottledLog(Logger log, NanoClock clock) {
    this.log = log;
    this.clock = clock;
    this.emptyAt = new AtomicLong(clock.nanoTime());
  }

  /**
   * Returns a new place in a class.
   *
   * @param what the subject of its lines, in a few words, for {@link #counts}
   */
  public static ThrottledLog of(Class<?> where, String what) {
    ThrottledLog place = new ThrottledLog(LoggerFactory.getLogger(where), NanoClock.SYSTEM);
    PLACES.put(what, place);
    return place;
  }

  /**
   * Returns the number of events at each place since this process began. Places without events are
   * left out.
   */
  public static Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    PLACES.forEach(
        (what, place) -> {
          long so = place.count();
          if (so > 0) {
            counts.put(what, so);
          }
        });
    return counts;
  }

  /**
   * Lets every place write as if the process had just begun. Its count continues. Tests use it, so
   * that one test does not silence another.
   */
  public static void refill() {
    for (ThrottledLog place : PLACES.values()) {
      place.emptyAt.set(place.clock.nanoTime());
      place.leftOut.set(0);
    }
  }

  /** Returns the number of events, written or not. */
  public long count() {
    return count.get();
  }

  /** Counts an event that needs no line, because it was logged before. */
  public void again() {
    count.incrementAndGet();
  }

  /** Logs an event that is no fault. */
  public void info(String format, @Nullable Object subject) {
    if (mayWrite()) {
      log.info(line(format), OneLine.of(subject));
    }
  }

  /** Logs an event that is no fault. */
  public void info(String format, @Nullable Object first, @Nullable Object second) {
    if (mayWrite()) {
      log.info(line(format), OneLine.of(first), OneLine.of(second));
    }
  }

  /** Logs a warning. */
  public void warn(String format, @Nullable Object subject) {
    if (mayWrite()) {
      log.warn(line(format), OneLine.of(subject));
    }
  }

  /** Logs a warning. */
  public void warn(String format, @Nullable Object first, @Nullable Object second) {
    if (mayWrite()) {
      log.warn(line(format), OneLine.of(first), OneLine.of(second));
    }
  }

  /** Logs a warning. */
  public void warn(
      String format, @Nullable Object first, @Nullable Object second, @Nullable Object third) {
    if (mayWrite()) {
      log.warn(line(format), OneLine.of(first), OneLine.of(second), OneLine.of(third));
    }
  }

  /**
   * Logs a warning with an exception and its stack trace. Omitted lines are written at level DEBUG.
   */
  public void warn(String format, @Nullable Object subject, Throwable thrown) {
    if (mayWrite()) {
      Thrown.log(log, Level.WARN, line(format), subject, thrown);
    } else if (log.isDebugEnabled()) {
      Thrown.log(log, Level.DEBUG, format, subject, thrown);
    }
  }

  /** Logs an exception that is a fault of this end. */
  public void error(String format, @Nullable Object subject, Throwable thrown) {
    if (mayWrite()) {
      Thrown.log(log, Level.ERROR, line(format), subject, thrown);
    }
  }

  private String line(String format) {
    long others = leftOut.getAndSet(0);
    return others == 0 ? format : format + " (and " + others + " more like this before)";
  }

  private boolean mayWrite() {
    count.incrementAndGet();
    long now = clock.nanoTime();
    while (true) {
      long empty = emptyAt.get();
      long from = empty - now > 0 ? empty : now;
      if (from - now > (AT_ONCE - 1) * ONE_MORE_NANOS) {
        leftOut.incrementAndGet();
        return false;
      }
      if (emptyAt.compareAndSet(empty, from + ONE_MORE_NANOS)) {
        return true;
      }
    }
  }
}
