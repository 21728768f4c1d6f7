package io.verbena.channel;

import io.verbena.link.runtime.NanoClock;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's time. Its thread ends when no channel is open and no timer is pending. */
final class SystemTime implements ChannelTime {
  private static final long IDLE_MILLIS = 1;

  private final ScheduledThreadPoolExecutor timers =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("verbena-channel-timer").factory());

  private final Set<Object> holders = new HashSet<>();

  SystemTime() {
    timers.setRemoveOnCancelPolicy(true);
    timers.setKeepAliveTime(IDLE_MILLIS, TimeUnit.MILLISECONDS);
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
   * @return releases the thread; a second call does nothing
   * @throws IllegalStateException if the thread cannot be started now
   */
  synchronized Runnable hold() {
    Object holder = new Object();
    holders.add(holder);
    timers.allowCoreThreadTimeOut(false);
    try {
      timers.prestartCoreThread();
    } catch (OutOfMemoryError e) {
      release(holder);
      throw new IllegalStateException(
          "no thread can be had for the channel's timers (see ulimit -u, the container's limit of"
              + " pids, and its memory): "
              + e.getMessage(),
          e);
    }
    return () -> release(holder);
  }

  private synchronized void release(Object holder) {
    holders.remove(holder);
    timers.allowCoreThreadTimeOut(holders.isEmpty());
  }
}
