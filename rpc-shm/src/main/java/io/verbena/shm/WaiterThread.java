package io.verbena.shm;

import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A daemon thread that wakes the loop, and does not touch its links. */
final class WaiterThread implements Waiter {
  private static final ThrottledLog NO_THREAD =
      ThrottledLog.of(WaiterThread.class, "waits for shared-memory links that found no thread");

  private final Selector sockets;
  private final Consumer<SelectionKey> ready;
  private final Runnable wakeLoop;
  private volatile @Nullable Thread thread;
  private volatile long limitMillis;

  WaiterThread(Selector sockets, Consumer<SelectionKey> ready, Runnable wakeLoop) {
    this.sockets = sockets;
    this.ready = ready;
    this.wakeLoop = wakeLoop;
  }

  @Override
  public boolean waitFor(long millis) {
    boolean changed = millis != limitMillis;
    limitMillis = millis;
    if (thread != null) {
      if (changed) {
        sockets.wakeup();
      }
      return true;
    }
    try {
      Thread started = OwnThreads.daemon("verbena-shm-waiter", this::run);
      thread = started;
      started.start();
      return true;
    } catch (Throwable e) {
      // Also errors of the virtual machine: without a thread there is no waiter.
      thread = null;
      NO_THREAD.warn("The loop polls for shared-memory links: {}", Thrown.words(e));
      return false;
    }
  }

  private void run() {
    try {
      while (sockets.isOpen()) {
        long limit = limitMillis;
        if (sockets.select(ready, limit) == 0 && limit > 0) {
          wakeLoop.run();
        }
      }
    } catch (ClosedSelectorException e) {
      // The driver is closed.
    } catch (Throwable e) { // otherwise an idle loop would wait for ever
      NO_THREAD.error("The wait for shared-memory links failed; the loop polls {}", "meanwhile", e);
    } finally {
      thread = null;
      wakeLoop.run();
    }
  }

  @Override
  public boolean isWaiting() {
    return thread != null;
  }

  @Override
  public void close() {
    Thread ending = thread;
    if (ending == null || ending == Thread.currentThread()) {
      return;
    }
    boolean interrupted = false;
    while (ending.isAlive()) {
      try {
        ending.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
