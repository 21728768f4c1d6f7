package io.verbena.link;

import java.nio.ByteBuffer;

/**
 * A range of the peer's memory that both ends identify by a number. It is written from its
 * beginning to its end. Its methods are called on the link's event loop.
 */
public final class NumberedTarget implements RemoteTarget {
  static final int ADVERTISEMENT_BYTES = 2 * Long.BYTES;

  /** The peer's number for it. */
  public final long number;

  private final long length;
  private long next;

  /** Makes a target to which nothing has been written yet. */
  public NumberedTarget(long number, long length) {
    this.number = number;
    this.length = length;
  }

  /**
   * Reads the advertisement of a {@link NumberedMemory}.
   *
   * @throws LinkException if it is none
   */
  public static NumberedTarget read(ByteBuffer advertisement) throws LinkException {
    int bytes = advertisement.remaining();
    if (bytes != ADVERTISEMENT_BYTES) {
      throw new LinkException(
          "the peer's advertisement has %d bytes, not %d".formatted(bytes, ADVERTISEMENT_BYTES),
          null);
    }
    NumberedTarget read = new NumberedTarget(advertisement.getLong(), advertisement.getLong());
    if (read.number < 1 || read.length < 1) {
      throw new LinkException(
          "the peer advertised %d bytes as target %d: both begin with 1"
              .formatted(read.length, read.number),
          null);
    }
    return read;
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
