package io.verbena.core.loop;

import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Threads that may wait for disks. Each place, such as a mounted file system, has a limited number
 * of them, so that a place which does not answer holds up no other. Safe for use by any thread.
 */
public final class FileThreads {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(FileThreads.class, "tasks of file threads that failed");

  /** Threads that wait for disks need few cores. More threads would only make disks seek more. */
  private static final int MOST_EACH = 16;

  /** Of all places. A hung place never has more than its own. */
  private static final int MOST = 512;

  private final Executor threads;
  private final int mostEach;

  /** The places with running tasks. */
  private final Map<Object, Place> places = new HashMap<>();

  private int running;

  private static final class Place {
    final Object key;
    final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    int running;

    Place(Object key) {
      this.key = key;
    }
  }

  private record Task(Place place, Runnable work) {}

  private FileThreads(Executor threads, int mostEach) {
    this.threads = threads;
    this.mostEach = mostEach;
  }

  static FileThreads named(String name) {
    return new FileThreads(OwnThreads.growingPool(name, MOST), MOST_EACH);
  }

  /** Runs all tasks by an executor, in its order. */
  public static FileThreads of(Executor all) {
    return new FileThreads(all, Integer.MAX_VALUE);
  }

  /** Returns the threads of a place, which is the key of a map. */
  public Executor at(Object place) {
    return mostEach == Integer.MAX_VALUE ? threads : task -> execute(place, task);
  }

  /** Ends the threads as soon as they have no work. */
  void endIdle() {
    OwnThreads.endIdle(threads);
  }

  private void execute(Object key, Runnable work) {
    Place place;
    synchronized (this) {
      place = places.computeIfAbsent(key, Place::new);
      if (place.running >= mostEach || running >= MOST) {
        place.waiting.add(work);
        return;
      }
      begin(place);
    }
    boolean started = false;
    try {
      threads.execute(() -> run(new Task(place, work)));
      started = true;
    } finally {
      if (!started) {
        end(place);
      }
    }
  }

  private void begin(Place place) {
    place.running++;
    running++;
  }

  private synchronized void end(Place place) {
    place.running--;
    running--;
    if (place.running == 0 && place.waiting.isEmpty()) {
      places.remove(place.key);
    }
  }

  private void run(Task first) {
    Task task = first;
    while (task != null) {
      try {
        task.work.run();
      } catch (Throwable e) { // its owner hears of exceptions, and may throw in turn
        BROKEN.error("A task at {} failed", task.place.key, e);
      }
      task = next(task.place);
    }
  }

  /** Returns the next task for the thread of a task that has ended; null if none may run. */
  private synchronized @Nullable Task next(Place ended) {
    Task next = null;
    ended.running--;
    running--;
    if (!ended.waiting.isEmpty()) {
      next = new Task(ended, ended.waiting.remove());
    } else {
      for (Place other : places.values()) {
        if (next == null && !other.waiting.isEmpty() && other.running < mostEach) {
          next = new Task(other, other.waiting.remove());
        }
      }
    }
    if (next != null) {
      begin(next.place);
    }
    if (ended.running == 0 && ended.waiting.isEmpty()) {
      places.remove(ended.key);
    }
    return next;
  }
}
