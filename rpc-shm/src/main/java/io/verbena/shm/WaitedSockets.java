package io.verbena.shm;

import io.verbena.link.runtime.ChannelSockets;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * Local sockets of a loop that watches none itself: a {@linkplain Waiter waiter} watches them while
 * the loop sleeps, mostly in a thread of its own. If it cannot, the loop looks at them, and does
 * not sleep.
 */
final class WaitedSockets extends ChannelSockets {
  private static final ThrottledLog UNHEARD =
      ThrottledLog.of(
          WaitedSockets.class, "sockets of shared-memory links that cannot be looked at");

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Selector selector;
  private final Waiter waiter;
  private final Runnable wakeLoop;

  /** The time after which the loop wakes anyway, in ms; 0 for never. */
  private long limit;

  WaitedSockets(Waiter.Maker waiters, Runnable wakeLoop) throws IOException {
    this.selector = Selector.open();
    this.wakeLoop = wakeLoop;
    this.waiter = waiters.of(selector, this::ready, wakeLoop);
  }

  @Override
  protected Watch register(SelectableChannel channel, int operation) throws IOException {
    SelectionKey key = channel.register(selector, 0);
    return new Watch() {
      @Override
      public void begin(Runnable ready) {
        key.attach(ready);
        interest(key, operation);
        if (waiter.waitFor(limit)) {
          selector.wakeup();
        }
      }

      @Override
      public void end() {
        interest(key, 0);
      }

      @Override
      public void release() {
        selector.wakeup(); // it releases the closed channel
      }
    };
  }

  private static void interest(SelectionKey key, int operation) {
    if (key.isValid()) {
      key.interestOps(operation);
    }
  }

  @Override
  public boolean arm(long nanos) {
    limit = (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    return waiter.waitFor(limit);
  }

  @Override
  public void poll() {
    if (waiter.isWaiting()) {
      return;
    }
    try {
      selector.selectNow(this::ready);
    } catch (IOException e) {
      UNHEARD.warn("Sockets of shared-memory links cannot be looked at: {}", Thrown.reason(e));
    }
  }

  /** Wakes the loop twice, because it may have slept again before the socket was read. */
  private void ready(SelectionKey key) {
    wakeLoop.run(); // first: what the peer has told is in memory already
    if (key.attachment() instanceof Runnable watcher) {
      watcher.run();
    }
    wakeLoop.run();
  }

  @Override
  public void close() throws IOException {
    try (Closeable _ = waiter::close) {
      selector.close();
    }
  }
}
