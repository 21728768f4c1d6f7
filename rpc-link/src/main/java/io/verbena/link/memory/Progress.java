package io.verbena.link.memory;

/** Whether something that takes memory goes on. For one thread. */
public final class Progress {
  /** So much of what it takes has to come between two looks, so that nobody holds it for ever. */
  private static final int LEAST_PART = 64;

  private static final long NEVER = -1;

  private long marked = NEVER;

  /** It is about something else from now on. */
  public void begin() {
    marked = NEVER;
  }

  /** Notes how far it is. */
  public void mark(long bytes) {
    marked = bytes;
  }

  /**
   * Returns whether nothing, or hardly anything, has come since it was marked.
   *
   * @param bytes how far it is now
   * @param takes the memory that it holds, in bytes
   */
  public boolean hasStopped(long bytes, long takes) {
    return marked != NEVER && takes > 0 && bytes - marked <= takes / LEAST_PART;
  }
}
