package io.verbena.link.memory;

/** Detects a reception that holds memory but has stopped. For one thread. */
public final class Progress {
  /**
   * The least part of the held memory that must arrive between two checks, so that no peer holds it
   * for ever.
   */
  private static final int LEAST_PART = 64;

  private static final long NEVER = -1;

  private long marked = NEVER;

  /** Starts to observe another reception. */
  public void begin() {
    marked = NEVER;
  }

  /** Records the present number of bytes. */
  public void mark(long bytes) {
    marked = bytes;
  }

  /**
   * Returns whether too few bytes have arrived since {@link #mark}.
   *
   * @param bytes the present number of bytes
   * @param takes the memory that is held, in bytes
   */
  public boolean hasStopped(long bytes, long takes) {
    return marked != NEVER && takes > 0 && bytes - marked <= takes / LEAST_PART;
  }
}
