package io.verbena.link.memory;

import java.util.concurrent.atomic.AtomicLong;

/** A budget of bytes that several sessions share. Safe for use by any thread. */
public final class MemoryBudget {
  private final long limit;
  private final AtomicLong reserved = new AtomicLong();

  /** Makes a budget of so many bytes, all free. */
  public MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** Returns the total number of bytes. */
  public long limit() {
    return limit;
  }

  /** Returns the number of bytes in use. */
  public long reserved() {
    return reserved.get();
  }

  /**
   * Reserves so many bytes, or returns false and reserves none. A failed attempt is never counted,
   * not even for a moment, so a request for too much makes no other request fail.
   */
  public boolean reserve(long bytes) {
    return addUpTo(limit, bytes, reserved);
  }

  /** Adds an amount if the sum stays within a limit. Returns whether it did. */
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

  /** Releases so many bytes. */
  public void release(long bytes) {
    reserved.addAndGet(-bytes);
  }
}
