package io.verbena.bench.load;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The times of one turn's calls: each thread has a histogram of its own, so that recording is a few
 * nanoseconds and no thread waits for another. Calls that end outside the window are not counted.
 */
final class Recording {
  private static final int DIGITS = 3;

  private final List<Histogram> all = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Histogram> mine = ThreadLocal.withInitial(this::another);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile long opened = Long.MAX_VALUE;
  private volatile boolean open;

  private Histogram another() {
    Histogram histogram = new Histogram(DIGITS);
    all.add(histogram);
    return histogram;
  }

  /** Counts calls that end from now on. */
  void open() {
    opened = System.nanoTime();
    open = true;
  }

  /** Counts none any more; returns how long it has counted, in nanoseconds. */
  long close() {
    open = false;
    return System.nanoTime() - opened;
  }

  /** Counts a call that has ended now. */
  void ended(long due) {
    if (open) {
      mine.get().recordValue(Math.max(0, System.nanoTime() - due));
    }
  }

  void failed(Throwable cause) {
    failure.compareAndSet(null, cause);
  }

  /** Returns why the turn is void; null: it is not. */
  @Nullable Throwable failure() {
    return failure.get();
  }

  /** Returns about how many calls have been counted. Safe for any thread. */
  long countSoFar() {
    long sum = 0;
    for (Histogram histogram : all) {
      sum += histogram.getTotalCount();
    }
    return sum;
  }

  /** Returns all times, in nanoseconds; for when no call is under way. */
  Histogram total() {
    Histogram total = new Histogram(DIGITS);
    all.forEach(total::add);
    return total;
  }
}
