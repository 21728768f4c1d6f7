package io.verbena.core.loop;

import io.verbena.api.stub.CallScope;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * The daemon thread that steps one event loop until it is closed, except while blocking callers do.
 * Neither an exception of a cycle nor an interrupt ends it.
 */
public final class LoopThread implements AutoCloseable {
  private static final ThrottledLog STUCK =
      ThrottledLog.of(LoopThread.class, "event loops that did not end");

  /** Stands for the thread of any loop. */
  private static final Thread ANY = Thread.ofVirtual().unstarted(() -> {});

  /** A system call of half a microsecond in each such interval costs little and delays little. */
  private static final long FIRST_LINKS_EVERY_NANOS = 20_000;

  /** The time for a running cycle to end, and then for the interrupted code. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  static {
    Object _ = Throwable.class; // as in EventLoop: a catch clause needs it when there is no memory
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
   * @param idling the time after which the loop waits in the kernel
   * @throws IllegalStateException if no thread can be started; the loop is then closed
   */
  public static LoopThread start(EventLoop loop, Idling idling) {
    boolean started = false;
    try {
      LoopThread made = new LoopThread(loop, idling);
      // Otherwise the thread that made the loop would count as its owner until the new thread has
      // started.
      loop.disown();
      loop.pollFirstLinksEvery(FIRST_LINKS_EVERY_NANOS);
      made.thread.start();
      started = true;
      return made;
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "no thread can be started for the event loop "
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
    Helm helm = new Helm(loop, new Parking(thread));
    loop.steerBy(helm);
    while (!closing) {
      try {
        step();
        helm.afterCycle();
      } catch (Throwable e) {
        // The JVM itself may need memory before it can report the failure.
      }
    }
    Thread.interrupted();
    if (idling instanceof SpinThenWait spinning) {
      spinning.close();
    }
    loop.onClose();
  }

  private void step() {
    try {
      Thread.interrupted(); // an interrupt left by user code would close the loop's sockets
      idling.idle(loop.doWork());
    } catch (Throwable e) {
      EventLoop.failed("A duty cycle", e);
    }
  }

  /** The sleep of this thread while callers may step its loop. */
  private record Parking(Thread thread) implements Helm.Sleep {
    @Override
    public void begin(long nanos) {
      LockSupport.parkNanos(this, nanos);
      Thread.interrupted(); // it would end the next sleep, too
    }

    @Override
    public void end() {
      LockSupport.unpark(thread);
    }
  }

  /** A loop's thread, which does not keep the process alive. */
  static final class OfLoop extends Thread {
    OfLoop(String name, Runnable task) {
      super(task, name);
      setDaemon(true);
    }
  }

  /** Returns whether loops may read memory. False if it is confined to its owner's thread. */
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

  static void virtual(String name, Runnable task) {
    Thread.ofVirtual().name(name).start(task);
  }

  /**
   * Stops the loop and closes its links. Returns when its thread has ended, or at once if it is
   * called on that thread. Code that holds up the thread is interrupted after 3 s, and abandoned 3
   * s later.
   */
  @Override
  public void close() {
    boolean _ = closeAll(List.of(this));
  }

  /**
   * {@linkplain #close Closes} several threads at once, in the time of one.
   *
   * @return whether all have ended, so that their resources may be released
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
      Thread stepper = loop.owner();
      Thread held = stepper == null ? thread : stepper; // or a caller, in the code of its result
      Throwable where = new Throwable("its stack");
      where.setStackTrace(held.getStackTrace());
      STUCK.warn(
          "The event loop {} does not end, because code of a handler or callback holds its thread"
              + " \"{}\"; its links close when that returns",
          loop.roleName(),
          held.getName(),
          where);
    }
  }
}
