package io.verbena.http;

import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Waiters;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What the answer to one request takes of its connection's memory. Some is reserved before the
 * call. Threads that read replies take, and the thread that sends them gives back. Safe for use by
 * any thread.
 */
final class AnswerMemory implements AutoCloseable {
  private final Quota.Share share;
  private long held;

  /** The part of it that nothing has been made of yet. */
  private long reserved;

  private boolean refused;
  private boolean closed;

  AnswerMemory(Quota.Share share) {
    this.share = share;
  }

  /**
   * Reserves memory, and waits until there is enough: others give back what their clients have
   * received.
   *
   * @param bytes what is expected to be taken
   * @param untilNanos when to give up, by {@link System#nanoTime}
   * @return false if there was not enough in time
   */
  boolean reserve(long bytes, long untilNanos) throws InterruptedException {
    if (tryReserve(bytes)) {
      return true;
    }
    Semaphore looks = new Semaphore(0);
    Waiters.Place place = share.waiters().place(Runnable::run, looks::release);
    try {
      do {
        place.join(() -> share.beyond(bytes));
        if (!looks.tryAcquire(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          return false;
        }
      } while (!tryReserve(bytes));
      return true;
    } finally {
      place.leave();
    }
  }

  private synchronized boolean tryReserve(long bytes) {
    if (!share.take(bytes)) {
      // With more connections a part is smaller than it was when an answer was as long as this.
      return !share.mayEverTake(bytes);
    }
    held += bytes;
    reserved += bytes;
    return true;
  }

  /** Gives back what was reserved and is not needed. */
  synchronized void made() {
    give(reserved);
    reserved = 0;
  }

  /**
   * Takes memory.
   *
   * @param inAnyCase whether it is taken beyond the limit if there is not enough
   * @return false if there is not enough, or the request has been answered
   */
  synchronized boolean take(long bytes, boolean inAnyCase) {
    if (closed) {
      return false;
    }
    long more = bytes - Math.min(bytes, reserved);
    if (more > 0 && !share.take(more)) {
      if (!inAnyCase) {
        refused = true;
        return false;
      }
      share.takeAnyway(more);
    }
    reserved -= bytes - more;
    held += more;
    return true;
  }

  synchronized void give(long bytes) {
    if (!closed) {
      held -= bytes;
      share.give(bytes);
    }
  }

  /** Returns whether the answer has lacked memory. */
  synchronized boolean wasRefused() {
    return refused;
  }

  /** Gives back all. The request has been answered, and whoever still reads a reply takes none. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      share.give(held);
    }
  }
}
