package io.verbena.rdma.cm;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits on the channels for a loop that waits elsewhere. It is a daemon thread that wakes the loop
 * once each time it was armed, and touches nothing else. It starts when it is first armed, so a
 * loop that only polls has none.
 */
final class ChannelWaiter {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelWaiter.class);
  private static final ThrottledLog NO_THREAD =
      ThrottledLog.of(ChannelWaiter.class, "waits for verbs events that found no thread");
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;

  private final VerbsProvider provider;
  private final Runnable wakeLoop;
  private final ConcurrentLinkedQueue<Addition> additions = new ConcurrentLinkedQueue<>();
  private volatile @Nullable WaitSet set;
  private volatile @Nullable Thread thread;
  private volatile boolean armed;
  private volatile boolean ready;
  private volatile boolean closed;
  private volatile long limitNanos;

  /** A change of the wait set, which belongs to the waiter's thread. */
  private interface Addition {
    void addTo(WaitSet set) throws IOException;
  }

  ChannelWaiter(VerbsProvider provider, Runnable wakeLoop) {
    this.provider = provider;
    this.wakeLoop = wakeLoop;
  }

  void add(RdmaEventChannel channel) {
    additions.add(set -> set.add(channel));
  }

  /** Adds a channel, unless it is destroyed before that; then it needs no wait. */
  void add(IbvCompChannel channel) {
    additions.add(
        set -> {
          try {
            set.add(channel);
          } catch (IOException e) {
            if (channel.isOpen()) {
              throw e;
            }
            LOG.debug("A channel was destroyed before it was waited for: {}", e.getMessage());
          }
        });
  }

  /**
   * Wakes the loop once something is ready, or the time is over.
   *
   * @param nanos the longest wait of the loop
   * @return false if there is no thread for that: the loop then polls, and tries again
   */
  boolean arm(long nanos) {
    long limit = Math.min(nanos, LONGEST_WAIT_NANOS);
    boolean tooLate = armed && limit < limitNanos;
    limitNanos = limit;
    armed = true;
    if (thread == null && tells(limit)) {
      return true;
    }
    Thread waiting = thread;
    if (waiting == null) {
      return start();
    }
    LockSupport.unpark(waiting);
    WaitSet waited = set;
    if (tooLate && waited != null) {
      waited.wakeup(); // the thread waits with the earlier limit; the loop is woken, and arms again
    }
    return true;
  }

  /** Returns whether the provider notifies by itself, as in a simulation, which needs no thread. */
  private boolean tells(long nanos) {
    try {
      WaitSet mine = set;
      if (mine == null) {
        mine = provider.newWaitSet();
        set = mine;
      }
      if (mine.tell(nanos, this::wake)) {
        addTo(mine);
        return true;
      }
    } catch (IOException e) {
      failed(e);
    }
    return false;
  }

  private boolean start() {
    try {
      Thread started = new Thread(this::run, "verbena-rdma-waiter");
      started.setDaemon(true);
      started.start();
      thread = started;
      return true;
    } catch (Throwable e) {
      armed = false;
      NO_THREAD.warn("The loop polls for verbs events: {}", Thrown.words(e));
      return false;
    }
  }

  private static void failed(Throwable why) {
    try {
      LOG.error("The wait for verbs events failed; the loop polls from here on", why);
    } catch (Throwable untold) {
      // There is no memory to log it either.
    }
  }

  boolean takeReady() {
    if (!ready) {
      return false;
    }
    ready = false;
    return true;
  }

  private void run() {
    try (WaitSet mine = set != null ? set : provider.newWaitSet()) {
      set = mine;
      while (!closed) {
        if (armed) {
          await(mine);
        } else {
          LockSupport.park(this);
        }
      }
    } catch (Throwable e) { // otherwise an idle loop would wait for ever
      failed(e);
      while (!closed) {
        LockSupport.parkNanos(this, limitNanos / 100);
        wake();
      }
    }
  }

  private void await(WaitSet mine) throws IOException {
    addTo(mine);
    long nanos = limitNanos;
    if (mine.await(nanos) || nanos < LONGEST_WAIT_NANOS) {
      wake();
    }
  }

  private void addTo(WaitSet mine) throws IOException {
    Addition addition;
    while ((addition = additions.poll()) != null) {
      addition.addTo(mine);
    }
  }

  private void wake() {
    armed = false;
    ready = true;
    wakeLoop.run();
  }

  /** Ends the thread, and waits for its end. */
  void close() {
    closed = true;
    Thread ending = thread;
    WaitSet telling = set;
    if (ending == null && telling != null) {
      telling.close();
    }
    if (ending == null || ending == Thread.currentThread()) {
      return;
    }
    LockSupport.unpark(ending);
    boolean interrupted = false;
    while (ending.isAlive()) {
      WaitSet waiting = set;
      if (waiting != null) {
        waiting.wakeup();
      }
      try {
        ending.join(1);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
