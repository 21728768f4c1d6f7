package io.verbena.core.bulk;

import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a transfer for a resource that others hold. It has a place in the queue of that
 * resource. It looks again when it is notified, and a last time after {@link #LONGEST} without
 * progress. On the loop.
 */
public final class LimitedWait {
  /** A holder that makes progress gives back earlier than this. Later the transfer fails. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  /**
   * A vain attempt returns what it has taken so far, and may be notified of that itself. Without a
   * pause it would never stop.
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
   * Makes a wait that has not begun.
   *
   * @param look tries again, now or soon, unless an attempt is under way. An attempt calls {@link
   *     #beginAttempt}, then {@link #goesOn} or {@link #end}
   */
  public LimitedWait(EventLoop loop, Runnable look) {
    this(loop, look, () -> Long.MIN_VALUE);
  }

  /**
   * Makes a wait that may take longer while the holders make progress.
   *
   * @param progressAt the loop's time of their last progress
   */
  public LimitedWait(EventLoop loop, Runnable look, LongSupplier progressAt) {
    this.loop = loop;
    this.look = look;
    this.progressAt = progressAt;
  }

  /** Begins an attempt. A notification from now on causes another look. */
  public void beginAttempt() {
    heard = false;
  }

  public boolean isUnderWay() {
    return waits;
  }

  /**
   * Begins or continues the wait, because the resource is not available.
   *
   * @param of the missing resource; null if no holder will return it and only the last look is left
   * @return false if the wait has lasted too long and is over
   */
  public boolean goesOn(@Nullable Shortage of) {
    if (last) {
      end();
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

  /** Looks again without a notification, if it waits. */
  public void lookNow() {
    if (waits) {
      look.run();
    }
  }

  /** Ends the wait, because the resource was obtained or is no longer needed. */
  public void end() {
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
