package io.verbena.core.loop;

import io.verbena.api.stub.CallScope;
import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** The daemon thread that steps one event loop until it is closed. */
public final class LoopThread implements AutoCloseable {
  /** Stands for the thread of any loop. */
  private static final Thread ANY = Thread.ofVirtual().unstarted(() -> {});

  /** A system call of half a microsecond in each of these costs little, and delays nobody much. */
  private static final long FIRST_LINKS_EVERY_NANOS = 20_000;

  private final EventLoop loop;
  private final AgentRunner runner;

  private LoopThread(EventLoop loop, AgentRunner runner) {
    this.loop = loop;
    this.runner = runner;
  }

  /**
   * Starts stepping a loop.
   *
   * @param idling when the loop waits in the kernel
   */
  public static LoopThread start(EventLoop loop, Idling idling) {
    // Or whoever made the loop would take itself for its owner until the thread has started.
    loop.disown();
    loop.pollFirstLinksEvery(FIRST_LINKS_EVERY_NANOS);
    AgentRunner runner =
        new AgentRunner(
            strategy(idling, loop),
            error -> EventLoop.failed("A duty cycle", error),
            null,
            new DutyCycle(loop));
    AgentRunner.startOnThread(
        runner,
        run -> {
          return new OfLoop(
              loop.roleName(),
              () -> {
                loop.adopt();
                ScopedValue.where(CallScope.CURRENT, loop.callScope()).run(run);
              });
        });
    return new LoopThread(loop, runner);
  }

  /** Returns a thread of the platform, not started, that keeps no process alive. */
  static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
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
      case Idling.Adaptive() -> new SpinThenWait(loop, new MeasuredSpin(loop));
      case Idling.Spinning(long nanos) ->
          new SpinThenWait(loop, new SpinThenWait.Limit.Fixed(nanos));
      case Idling.Polling() -> BusySpinIdleStrategy.INSTANCE;
    };
  }

  /** Runs what would have to wait on a loop, and nobody waits for, on a thread of its own. */
  public static void inBackground(String name, Runnable task) {
    Thread.ofVirtual().name(name).start(task);
  }

  /**
   * Stops the loop and closes its links; returns when its thread has ended, or at once where it is
   * called on that thread.
   */
  @Override
  public void close() {
    loop.stopWaiting();
    if (loop.isOwner()) {
      inBackground(loop.roleName() + "-close", runner::close);
    } else {
      runner.close();
    }
  }

  /** The loop as Agrona steps it; what users see of a loop names no library. */
  private record DutyCycle(EventLoop loop) implements Agent {
    @Override
    public int doWork() {
      Thread.interrupted(); // left behind by users' code, it would have the loop's sockets closed
      return loop.doWork();
    }

    @Override
    public void onClose() {
      loop.onClose();
    }

    @Override
    public String roleName() {
      return loop.roleName();
    }
  }
}
