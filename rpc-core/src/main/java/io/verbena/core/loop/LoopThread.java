package io.verbena.core.loop;

import io.verbena.api.stub.CallScope;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * The daemon thread that steps one event loop until it is closed. Nothing else ends it: not what a
 * cycle throws, nor an interrupt.
 */
public final class LoopThread implements AutoCloseable {
  private static final ThrottledLog STUCK =
      ThrottledLog.of(LoopThread.class, "event loops that did not end");

  /** Stands for the thread of any loop. */
  private static final Thread ANY = Thread.ofVirtual().unstarted(() -> {});

  /** A system call of half a microsecond in each of these costs little, and delays nobody much. */
  private static final long FIRST_LINKS_EVERY_NANOS = 20_000;

  /** So long a cycle that is under way may take to end, and then the code that was interrupted. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  static {
    Object _ = Throwable.class; // as in EventLoop: catches need it where there is no memory
  }

  private final EventLoop loop;
  private final IdleStrategy idling;
  private final Thread thread;
  private volatile boolean closing;

  private LoopThread(EventLoop loop, Idling idling) {
    this.loop = loop;
    this.idling = strategy(idling, loop);
    this.thread = new OfLoop(loop.roleName(), this::run);
  }

  /**
   * Starts stepping a loop.
   *
   * @param idling when the loop waits in the kernel
   * @throws IllegalStateException if no thread can be had; the loop is closed then
   */
  public static LoopThread start(EventLoop loop, Idling idling) {
    boolean started = false;
    try {
      LoopThread made = new LoopThread(loop, idling);
      // Or whoever made the loop would take itself for its owner until the thread has started.
      loop.disown();
      loop.pollFirstLinksEvery(FIRST_LINKS_EVERY_NANOS);
      made.thread.start();
      started = true;
      return made;
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "no thread can be had for the event loop "
              + loop.roleName()
              + " (see ulimit -u, the container's limit of pids, and its memory): "
              + e.getMessage(),
          e);
    } finally {
      if (!started) {
        loop.adopt();
        loop.onClose();
      }
    }
  }

  private void run() {
    loop.adopt();
    ScopedValue.where(CallScope.CURRENT, loop.callScope()).run(this::stepUntilClosed);
  }

  private void stepUntilClosed() {
    while (!closing) {
      try {
        step();
      } catch (Throwable e) {
        // The JVM itself may need memory before it comes to the words for what failed.
      }
    }
    Thread.interrupted();
    loop.onClose();
  }

  private void step() {
    try {
      Thread.interrupted(); // left behind by users' code, it would have the loop's sockets closed
      idling.idle(loop.doWork());
    } catch (Throwable e) {
      EventLoop.failed("A duty cycle", e);
    }
  }

  /** A loop's thread, which keeps no process alive. */
  static final class OfLoop extends Thread {
    OfLoop(String name, Runnable task) {
      super(task, name);
      setDaemon(true);
    }
  }

  /** Returns whether loops may read memory, and not its owner's thread alone. */
  public static boolean mayRead(MemorySegment memory) {
    return memory.isAccessibleBy(ANY);
  }

  private static IdleStrategy strategy(Idling idling, EventLoop loop) {
    return switch (idling) {
      case Idling.Adaptive() -> new SpinThenWait(loop, SpinThenWait.MEASURED);
      case Idling.Spinning(long nanos) -> new SpinThenWait(loop, nanos);
      case Idling.Polling() -> BusySpinIdleStrategy.INSTANCE;
    };
  }

  /** Starts a virtual thread. */
  static void virtual(String name, Runnable task) {
    Thread.ofVirtual().name(name).start(task);
  }

  /**
   * Stops the loop and closes its links; returns when its thread has ended, or at once where it is
   * called on that thread. What holds the thread up is interrupted after 3 s, and left to itself 3
   * s later.
   */
  @Override
  public void close() {
    boolean _ = closeAll(List.of(this));
  }

  /**
   * {@linkplain #close Closes} several at once, in the time of one.
   *
   * @return whether all have ended, so that what they used may be let go of
   */
  public static boolean closeAll(List<LoopThread> all) {
    for (LoopThread one : all) {
      one.closing = true;
      one.loop.stopWaiting();
    }
    if (end(all)) {
      return true;
    }
    all.forEach(one -> one.thread.interrupt());
    if (end(all)) {
      return true;
    }
    all.forEach(LoopThread::tellIfStuck);
    return false;
  }

  private static boolean end(List<LoopThread> all) {
    long until = NanoClock.SYSTEM.nanoTime() + PATIENCE_NANOS;
    boolean interrupted = false;
    boolean ended = true;
    for (LoopThread one : all) {
      long left;
      while (!one.hasEnded() && (left = until - NanoClock.SYSTEM.nanoTime()) > 0) {
        try {
          TimeUnit.NANOSECONDS.timedJoin(one.thread, left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      ended &= one.hasEnded();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }

  private boolean hasEnded() {
    return loop.isOwner() || !thread.isAlive();
  }

  private void tellIfStuck() {
    if (!hasEnded()) {
      Throwable where = new Throwable("its stack");
      where.setStackTrace(thread.getStackTrace());
      STUCK.warn(
          "The event loop {} does not end, since code of a handler or callback holds its thread;"
              + " its links close when that returns",
          loop.roleName(),
          where);
    }
  }
}
