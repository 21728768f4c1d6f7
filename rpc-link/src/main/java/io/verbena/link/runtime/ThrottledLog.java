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
 * One place in the code that writes to the log when a peer, or a user's code, has it do so. That
 * may be a million times a second, on an event loop: so the first {@value #AT_ONCE} lines are
 * written, then one in ten seconds, with the number of those that were left out. What is left out
 * is counted, and costs no more than that. Their words come in {@linkplain OneLine one line}. The
 * whole process shares each place's lines: the count is by place, not by peer, since a peer may
 * come back as another.
 */
public final class ThrottledLog {
  /** So many lines, so that what happens now and then is told in full. */
  public static final int AT_ONCE = 10;

  /** How long it takes until there may be one more line. */
  public static final Duration ONE_MORE = Duration.ofSeconds(10);

  private static final long ONE_MORE_NANOS = ONE_MORE.toNanos();
  private static final Map<String, ThrottledLog> PLACES = new ConcurrentHashMap<>();

  private final Logger log;
  private final NanoClock clock;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong();

  /**
   * A leaky bucket: when it will be empty. Each line puts {@link #ONE_MORE} in, and there is room
   * for {@link #AT_ONCE} of them.
   */
  private final AtomicLong emptyAt;

  /** A place with a clock of its own, which is not among {@link #counts}. */
  public ThrottledLog(Logger log, NanoClock clock) {
    this.log = log;
    this.clock = clock;
    this.emptyAt = new AtomicLong(clock.nanoTime());
  }

  /**
   * A place in this class.
   *
   * @param what is told there, in a few words, for {@link #counts}
   */
  public static ThrottledLog of(Class<?> where, String what) {
    ThrottledLog place = new ThrottledLog(LoggerFactory.getLogger(where), NanoClock.SYSTEM);
    PLACES.put(what, place);
    return place;
  }

  /** Returns how often each place had something to tell since this process began, if ever. */
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
   * Lets every place write as if the process had just begun; its count goes on. For tests: what one
   * of them provoked shall not silence another.
   */
  public static void refill() {
    for (ThrottledLog place : PLACES.values()) {
      place.emptyAt.set(place.clock.nanoTime());
      place.leftOut.set(0);
    }
  }

  /** Returns how often there was something to tell, told or not. */
  public long count() {
    return count.get();
  }

  /** Counts what needs no line, since it was told before. */
  public void again() {
    count.incrementAndGet();
  }

  /** Tells of what is in order. */
  public void info(String format, @Nullable Object first, @Nullable Object second) {
    if (mayWrite()) {
      log.info(line(format), OneLine.of(first), OneLine.of(second));
    }
  }

  /** Tells. */
  public void warn(String format, @Nullable Object subject) {
    if (mayWrite()) {
      log.warn(line(format), OneLine.of(subject));
    }
  }

  /** Tells. */
  public void warn(String format, @Nullable Object first, @Nullable Object second) {
    if (mayWrite()) {
      log.warn(line(format), OneLine.of(first), OneLine.of(second));
    }
  }

  /** Tells. */
  public void warn(
      String format, @Nullable Object first, @Nullable Object second, @Nullable Object third) {
    if (mayWrite()) {
      log.warn(line(format), OneLine.of(first), OneLine.of(second), OneLine.of(third));
    }
  }

  /** Tells of what was thrown, and of its stack; at level DEBUG of what is left out, too. */
  public void warn(String format, @Nullable Object subject, Throwable thrown) {
    if (mayWrite()) {
      Thrown.log(log, Level.WARN, line(format), subject, thrown);
    } else if (log.isDebugEnabled()) {
      Thrown.log(log, Level.DEBUG, format, subject, thrown);
    }
  }

  /** Tells of what was thrown by a fault of this end's. */
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
