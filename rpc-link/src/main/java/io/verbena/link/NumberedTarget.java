package io.verbena.link;

/**
 * A range of the peer's memory that both ends know by a number, and that is written from its
 * beginning to its end. On the link's event loop.
 */
public final class NumberedTarget implements RemoteTarget {
  /** What the peer calls it. */
  public final long number;

  private final long length;
  private long next;

  /** One that nothing is written to yet. */
  public NumberedTarget(long number, long length) {
    this.number = number;
    this.length = length;
  }

  @Override
  public long length() {
    return length;
  }

  /**
   * Checks what is to be written.
   *
   * @throws IllegalArgumentException if it is empty, does not come next, or does not fit
   */
  public void requireNext(long at, int bytes) {
    if (at != next || bytes < 1 || bytes > length - at) {
      throw new IllegalArgumentException(
          "%d bytes at %d of a target of %d, where %d is next".formatted(bytes, at, length, next));
    }
  }

  /** So many more bytes are written. */
  public void wrote(int bytes) {
    next += bytes;
  }
}
