package io.verbena.channel;

import io.verbena.link.runtime.NanoClock;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's time. Its thread ends when no timer is pending. */
final class SystemTime implements ChannelTime {
  private static final long IDLE_SECONDS = 2;
  private static final long NEVER_NANOS = Long.MAX_VALUE;

  private final ScheduledThreadPoolExecutor timers =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("verbena-channel-timer").factory());

  SystemTime() {
    timers.setRemoveOnCancelPolicy(true);
    timers.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timers.allowCoreThreadTimeOut(true);
  }

  @Override
  public long nanoTime() {
    return NanoClock.SYSTEM.nanoTime();
  }

  @Override
  public Runnable after(long nanos, Runnable action) {
    ScheduledFuture<?> timer = timers.schedule(action, nanos, TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  /**
   * Keeps the thread alive until it is released. Pending timers need a thread, which might not
   * start later.
   *
   * @return releases the thread
   * @throws IllegalStateException if the thread cannot be started now
   */
  Runnable hold() {
    try {
      return after(NEVER_NANOS, () -> {});
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "no thread can be had for the channel's timers (see ulimit -u, the container's limit of"
              + " pids, and its memory): "
              + e.getMessage(),
          e);
    }
  }
}
