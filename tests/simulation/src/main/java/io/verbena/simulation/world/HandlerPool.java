package io.verbena.simulation.world;

import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.time.Strand;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** An executor of strands, with a bound on its threads and its queue. */
public final class HandlerPool implements Executor {
  private final Scheduler scheduler;
  private final Strand.Place place;
  private final String name;
  private final int threads;
  private final int queueLength;
  private final ArrayDeque<Task> queue = new ArrayDeque<>();
  private final Map<Strand, Long> tickets = new HashMap<>();
  private long ticket;
  private int busy;
  private boolean full;
  private boolean closed;

  private record Task(Runnable work, long ticket) {}

  HandlerPool(Scheduler scheduler, Strand.Place place, String name, int threads, int queueLength) {
    this.scheduler = scheduler;
    this.place = place;
    this.name = name;
    this.threads = threads;
    this.queueLength = queueLength;
  }

  /** Makes the pool reject all tasks, or ends that. */
  public void full(boolean full) {
    this.full = full;
  }

  /** Returns the number of tasks that run or wait. */
  public int underWay() {
    return busy + queue.size();
  }

  @Override
  public void execute(Runnable work) {
    if (full || closed || (busy >= threads && queue.size() >= queueLength)) {
      throw new RejectedExecutionException("the simulated executor is full");
    }
    Task task = new Task(work, ++ticket);
    if (busy < threads) {
      busy++;
      scheduler.start(place, name, () -> work(task));
    } else {
      queue.add(task);
    }
  }

  private void work(Task first) {
    Strand mine = scheduler.strand();
    Task task = first;
    try {
      while (task != null) {
        tickets.put(mine, task.ticket);
        task.work.run();
        Thread.interrupted();
        mine.pause();
        task = queue.poll();
      }
    } finally {
      tickets.remove(mine);
      busy--;
    }
  }

  /** Returns the running task's place in the order of submission; -1 if no task runs. */
  public long currentTicket() {
    @Nullable Long mine = tickets.get(scheduler.running());
    return mine == null ? -1 : mine;
  }

  void close() {
    closed = true;
    queue.clear();
  }
}
