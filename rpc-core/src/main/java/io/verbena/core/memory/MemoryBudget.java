package io.verbena.core.memory;

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

  /** Takes so many bytes, or nothing and returns false. */
  public boolean reserve(long bytes) {
    if (reserved.addAndGet(bytes) <= limit) {
      return true;
    }
    reserved.addAndGet(-bytes);
    return false;
  }

  /** Gives back so many bytes. */
  public void release(long bytes) {
    reserved.addAndGet(-bytes);
  }
}
