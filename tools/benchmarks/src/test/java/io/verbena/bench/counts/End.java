package io.verbena.bench.counts;

import com.sun.management.ThreadMXBean;
import io.verbena.core.loop.Command;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.LinkProvider;
import io.verbena.link.runtime.NanoClock;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * One end's loop, stepped as its own thread would: it runs while there is work, then makes ready to
 * be woken and waits for that. For one thread, which steps all ends.
 */
final class End {
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final boolean waits;
  private final LinkTally tally;
  private final EventLoop loop;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean waiting;
  private boolean woken;
  private long waitNanos;
  private long allocated;

  /**
   * An end.
   *
   * @param waits whether its loop waits when it has nothing to do; otherwise it polls
   * @param turns told of every frame that it sends
   */
  End(String name, NanoClock clock, LinkProvider links, boolean waits, Turns turns) {
    this.waits = waits;
    this.tally = new LinkTally(turns);
    this.loop = new EventLoop(name, clock, new TalliedLinks(links, tally, this::wake));
  }

  /** Returns its loop. */
  EventLoop loop() {
    return loop;
  }

  /** Returns what it has given to its links. */
  LinkTally tally() {
    return tally;
  }

  /** Returns what runs its handlers and the work that its loop hands over. */
  Executor elsewhere() {
    return tasks::add;
  }

  /** Returns how many bytes of heap it has taken. */
  long allocated() {
    return allocated;
  }

  /** Has its loop run something, which wakes it. */
  void execute(Command command) {
    loop.execute(command);
  }

  /** Ends its wait. */
  void wake() {
    woken = true;
  }

  /** Does what there is to do; returns whether it was anything. */
  boolean step() {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    boolean busy = cycle();
    Runnable task;
    while ((task = tasks.poll()) != null) {
      task.run();
      busy = true;
    }
    allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
    return busy;
  }

  private boolean cycle() {
    if (waiting && !woken) {
      return false;
    }
    if (waiting) {
      waiting = false;
      return loop.endWait(waitNanos) > 0;
    }
    if (loop.doWork() > 0) {
      return true;
    }
    if (waits) {
      woken = false;
      waitNanos = loop.beginWait(LONGEST_WAIT_NANOS);
      waiting = true;
      woken |= waitNanos <= 0; // there is something already: the wait is over as it begins
      return woken;
    }
    return false;
  }
}
