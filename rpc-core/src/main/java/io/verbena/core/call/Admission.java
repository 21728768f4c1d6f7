package io.verbena.core.call;

import io.verbena.api.Priority;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.ConcurrencyLimit;
import io.verbena.core.stat.LimitStat;
import io.verbena.link.runtime.NanoClock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Admits the calls of all sessions at a server with a {@link ConcurrencyLimit}. Each running call
 * has a place. Safe for use by any thread.
 */
public final class Admission {
  private static final long SHORTEST_WINDOW_NANOS = 100_000_000;

  /** The number of calls in a window. After a longer time fewer calls make a window. */
  private static final int MANY = 100;

  private static final int FEW = 20;
  private static final long LONG_WINDOW_NANOS = 1_000_000_000;

  private final ConcurrencyLimit settings;
  private final NanoClock clock;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Map<Priority, Counts> counts = new EnumMap<>(Priority.class);

  /** The counters of one priority since the server started. */
  private static final class Counts {
    private final LongAdder taken = new LongAdder();
    private final LongAdder shed = new LongAdder();
  }

  // ---- the window: a race loses one call of it at most ----
  private final LongAdder calls = new LongAdder();
  private final LongAdder nanos = new LongAdder();
  private volatile int peak;

  private volatile long windowBegan;
  private volatile long shortestWindow = SHORTEST_WINDOW_NANOS;

  /** Calls that began earlier do not count, because a probe measures calls without a queue. */
  private volatile long countFrom;

  // ---- for the thread that closes a window ----
  private final AtomicBoolean closing = new AtomicBoolean();
  private final GradientLimit gradient;
  private volatile int limit;
  private volatile long latency;
  private volatile long unloaded;

  public Admission(ConcurrencyLimit settings, NanoClock clock) {
    this.settings = settings;
    this.clock = clock;
    this.gradient = new GradientLimit(settings.initial(), settings.least(), settings.most());
    this.limit = settings.initial();
    this.windowBegan = clock.nanoTime();
    this.countFrom = windowBegan;
    for (Priority one : Priority.values()) {
      counts.put(one, new Counts());
    }
  }

  /**
   * The place of one call, and the memory of its arguments. Both are released when the call is
   * over. On the loop of the call.
   */
  final class Place implements Runnable {
    private final long began = clock.nanoTime();
    private @Nullable Runnable memory;
    private boolean counts = true;
    private boolean left;

    /** Adds memory to release with the place. */
    Place with(Runnable memory) {
      this.memory = memory;
      return this;
    }

    /**
     * Ignores the duration of the call, because its handler did not run, or waited for its peer.
     */
    void ignoreDuration() {
      counts = false;
    }

    /** The call waits for its peer. Another call may use the place meanwhile. */
    void pause() {
      counts = false;
      leave();
    }

    /** The call continues, even if another call uses its place. */
    void resume() {
      if (left) {
        left = false;
        inFlight.incrementAndGet();
      }
    }

    private void leave() {
      if (!left) {
        left = true;
        inFlight.decrementAndGet();
      }
    }

    /** The call is over. */
    @Override
    public void run() {
      leave();
      if (counts) {
        counts = false;
        took(began, clock.nanoTime());
      }
      Runnable free = memory;
      if (free != null) {
        memory = null;
        free.run();
      }
    }
  }

  /** Returns whether calls of a method count. */
  boolean limits(MethodDescriptor<?> method) {
    return !method.oneway()
        && !method.nonBlocking()
        && !method.streaming()
        && !method.service().startsWith("verbena.")
        && (settings.exempt().isEmpty() || !settings.exempt().contains(method.fullName()));
  }

  /** Returns a place for a call that has arrived; null if there is none for its priority. */
  @Nullable Place enter(Priority priority) {
    int places = places(priority);
    int before;
    do {
      before = inFlight.get();
      if (before >= places) {
        counts(priority).shed.increment();
        if (peak < limit) {
          peak = limit; // calls beyond the share of a priority count as full load
        }
        return null;
      }
    } while (!inFlight.compareAndSet(before, before + 1));
    if (before >= peak) {
      peak = before + 1;
    }
    counts(priority).taken.increment();
    return new Place();
  }

  String refusal(Priority priority) {
    return "the peer runs as many calls as it can: with a limit of %d it admits %s calls below %d"
        .formatted(limit, priority.word(), places(priority));
  }

  private Counts counts(Priority priority) {
    return Objects.requireNonNull(counts.get(priority));
  }

  private int places(Priority priority) {
    return Math.max(1, (int) (settings.share(priority) * limit));
  }

  private void took(long began, long now) {
    if (began - countFrom < 0) {
      return;
    }
    nanos.add(now - began);
    calls.increment();
    if (now - windowBegan >= shortestWindow && closing.compareAndSet(false, true)) {
      try {
        closeWindow(now);
      } finally {
        closing.set(false);
      }
    }
  }

  private void closeWindow(long now) {
    long passed = now - windowBegan;
    long counted = calls.sum();
    if (passed < shortestWindow || counted < (passed >= LONG_WINDOW_NANOS ? FEW : MANY)) {
      return;
    }
    long mean = Math.max(1, nanos.sumThenReset() / counted);
    calls.reset();
    boolean probes = gradient.passed(now, (double) mean, peak);
    peak = inFlight.get();
    limit = gradient.limit();
    latency = mean;
    unloaded = gradient.unloadedNanos();
    // Short calls end first, so a window without earlier calls must be longer.
    shortestWindow = probes ? Math.max(SHORTEST_WINDOW_NANOS, 4 * mean) : SHORTEST_WINDOW_NANOS;
    windowBegan = probes ? now + 2 * mean : now;
    countFrom = probes ? windowBegan : countFrom;
  }

  public LimitStat stat() {
    List<LimitStat.OfPriority> all = new ArrayList<>();
    counts.forEach(
        (one, count) ->
            all.add(
                new LimitStat.OfPriority(
                    one.word(), places(one), count.taken.sum(), count.shed.sum())));
    return new LimitStat(limit, inFlight.get(), latency / 1_000, unloaded / 1_000, all);
  }
}
