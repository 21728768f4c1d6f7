package io.verbena.link;

/**
 * A range of the peer's memory that both ends identify by a number. It is written from its
 * beginning to its end. Its methods are called on the link's event loop.
 */
public final class NumberedTarget implements RemoteTarget {
  /** The peer's number for it. */
  public final long number;

  private final long length;
  private long next;

  /** Makes a target to which nothing has been written yet. */
  public NumberedTarget(long number, long length) {
    this.number = number;
    this.length = length;
  }

  @Override
  public long length() {
    return length;
  }

  /**
   * Checks the next write.
   *
   * @throws IllegalArgumentException if it is empty, leaves a gap, or does not fit
   */
  public void requireNext(long at, int bytes) {
    if (at != next || bytes < 1 || bytes > length - at) {
      throw new IllegalArgumentException(
          "%d bytes at %d of a target of %d, where %d is next".formatted(bytes, at, length, next));
    }
  }

  /** Records a write of so many bytes. */
  public void wrote(int bytes) {
    next += bytes;
  }
}
