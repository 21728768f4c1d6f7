package io.verbena.bench.load;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The times of the calls in one turn. Each thread has its own histogram, so that recording takes a
 * few nanoseconds and no thread waits for another. Calls that end while the recording is open are
 * counted. The times of calls that end later are also recorded, because the longest would be
 * missing otherwise.
 */
final class Recording {
  private static final int DIGITS = 3;

  private final List<Histogram> all = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Histogram> mine = ThreadLocal.withInitial(this::another);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final LongAdder late = new LongAdder();
  private volatile boolean open;
  private volatile boolean closed;
  private long openedAt;
  private long closedAt;

  private Histogram another() {
    Histogram histogram = new Histogram(DIGITS);
    all.add(histogram);
    return histogram;
  }

  /** Counts calls that end from now on. */
  void open() {
    openedAt = System.nanoTime();
    open = true;
  }

  /** Stops counting. Returns the time of counting in nanoseconds. */
  long close() {
    closedAt = System.nanoTime();
    closed = true;
    open = false;
    return closedAt - openedAt;
  }

  /** Records the time of a call that has ended now. */
  void ended(long due) {
    boolean counts = open;
    if (counts || (closed && due - closedAt < 0)) {
      mine.get().recordValue(Math.max(0, System.nanoTime() - due));
      if (!counts) {
        late.increment();
      }
    }
  }

  void failed(Throwable cause) {
    failure.compareAndSet(null, cause);
  }

  /** Returns the reason why the turn is void; null if it is valid. */
  @Nullable Throwable failure() {
    return failure.get();
  }

  /** Returns the approximate number of counted calls. Safe for use by any thread. */
  long countSoFar() {
    long sum = 0;
    for (Histogram histogram : all) {
      sum += histogram.getTotalCount();
    }
    return sum;
  }

  /** Returns the recorded turn. No call may be in progress. */
  Turn turn(double seconds, long bytesBeside) {
    Histogram total = new Histogram(DIGITS);
    all.forEach(total::add);
    return new Turn(total, total.getTotalCount() - late.sum(), seconds, bytesBeside);
  }
}
