package io.verbena.core.bulk;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A transfer's wait until others give back what it needs, in its place among those who wait for the
 * same. It looks when it is told to, and a last time when it has waited for {@link #LONGEST}
 * without progress. On the loop.
 */
public final class LimitedWait {
  /** Nobody holds for so long what others wait for, and moves; then a transfer fails. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  /**
   * An attempt in vain gives back what it had taken so far, and may be told of that itself: without
   * a pause it would try for ever.
   */
  private static final long PAUSE_NANOS = 1_000_000;

  private final EventLoop loop;
  private final Runnable look;
  private final LongSupplier progressAt;
  private Waiters.@Nullable Place place;
  private long timer = Timers.NONE;
  private long pause = Timers.NONE;
  private long since;
  private long failed;
  private boolean waits;
  private boolean last;
  private boolean heard;

  /**
   * Waits not yet.
   *
   * @param look has it tried again, at once or by and by, unless it is being tried: {@link #tries},
   *     and then {@link #goesOn} or {@link #ends}
   */
  public LimitedWait(EventLoop loop, Runnable look) {
    this(loop, look, () -> Long.MIN_VALUE);
  }

  /**
   * The same, where those who are waited for may take longer as long as they move.
   *
   * @param progressAt when they moved last, by the loop's clock
   */
  public LimitedWait(EventLoop loop, Runnable look, LongSupplier progressAt) {
    this.loop = loop;
    this.look = look;
    this.progressAt = progressAt;
  }

  /** An attempt begins: what it is told from now on, while that is under way, has it look again. */
  public void tries() {
    heard = false;
  }

  /** Returns whether it waits. */
  public boolean isUnderWay() {
    return waits;
  }

  /**
   * There is nothing to go on with: waits, or goes on waiting.
   *
   * @param of what there is too little of; null where nobody gives it back, and only the last look
   *     is left
   * @return false if it has waited for long enough, and waits no more
   */
  public boolean goesOn(@Nullable Shortage of) {
    if (last) {
      ends();
      return false;
    }
    failed = loop.clock().nanoTime();
    if (!waits) {
      waits = true;
      since = failed;
      limit(since);
    }
    join(of);
    if (heard) {
      heard = false;
      lookSoon();
    }
    return true;
  }

  private void join(@Nullable Shortage of) {
    Waiters waiters = of == null ? null : of.waiters();
    Waiters.Place before = place;
    if (before != null && before.waiters() != waiters) {
      before.leave();
      place = null;
    }
    if (place == null && waiters != null) {
      place = waiters.place(loop.executor(), this::told);
    }
    if (place != null && of != null) {
      place.join(of.needs());
    }
  }

  private void told() {
    heard = true;
    if (waits && loop.clock().nanoTime() - failed < PAUSE_NANOS) {
      lookSoon();
    } else {
      look.run();
    }
  }

  private void lookSoon() {
    if (pause == Timers.NONE) {
      pause = loop.timers().schedule(failed + PAUSE_NANOS, this::onPause);
    }
  }

  private void onPause(long now) {
    pause = Timers.NONE;
    lookNow();
  }

  private void limit(long from) {
    timer = loop.timers().schedule(from + LONGEST.toNanos(), this::onTime);
  }

  private void onTime(long now) {
    long moved = progressAt.getAsLong();
    if (moved != Long.MIN_VALUE && moved - since > 0) {
      since = moved;
      limit(since);
      return;
    }
    last = true;
    look.run();
  }

  /** Looks again whatever there is, if it waits. */
  public void lookNow() {
    if (waits) {
      look.run();
    }
  }

  /** It waits no more: it has what it needs, or needs nothing any more. */
  public void ends() {
    if (waits) {
      waits = false;
      loop.timers().cancel(timer);
      loop.timers().cancel(pause);
      pause = Timers.NONE;
    }
    last = false;
    if (place != null) {
      place.leave();
      place = null;
    }
  }
}
