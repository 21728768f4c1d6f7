package io.verbena.link.memory;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that several sessions share. Safe for use by any thread. */
public final class MemoryBudget {
  private final long limit;
  private final AtomicLong reserved = new AtomicLong();

  /** A budget of so many bytes, all free. */
  public MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** Returns the bytes there are in all. */
  public long limit() {
    return limit;
  }

  /** Returns the bytes in use. */
  public long reserved() {
    return reserved.get();
  }

  /**
   * Takes so many bytes, or nothing and returns false. What is not taken is never counted, not even
   * for a moment: who asks for too much makes nobody else's fail.
   */
  public boolean reserve(long bytes) {
    return addUpTo(limit, bytes, reserved);
  }

  /** Adds an amount where the sum is at most so much; returns whether it did. */
  static boolean addUpTo(long most, long amount, AtomicLong sum) {
    while (true) {
      long before = sum.get();
      if (amount > most - before) {
        return false;
      }
      if (sum.compareAndSet(before, before + amount)) {
        return true;
      }
    }
  }

  /** Gives back so many bytes. */
  public void release(long bytes) {
    reserved.addAndGet(-bytes);
  }
}
