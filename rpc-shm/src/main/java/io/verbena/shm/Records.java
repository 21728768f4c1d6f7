package io.verbena.shm;

/**
 * The first word of a record in a ring: its kind in the upper half, and in the lower half the
 * number of bytes that follow.
 */
final class Records {
  static final int HEADER_BYTES = 8;

  /** The kinds of records. 0 means that there is no record. */
  static final int FRAME = 1;

  static final int PIECE = 2;

  /** A piece of bulk whose arrival is reported. */
  static final int CHECKPOINT = 3;

  /** Unused bytes up to the ring's end. */
  static final int SKIP = 4;

  /** The sender has closed the link; nothing follows. */
  static final int CLOSED = 5;

  /** The sender has aborted the link. */
  static final int ABORTED = 6;

  /** The header of a piece: its target, and the offset in it. */
  static final int PIECE_HEADER_BYTES = 16;

  private Records() {}

  static long of(int kind, int length) {
    return (long) kind << 32 | length;
  }

  static int kind(long record) {
    return (int) (record >>> 32);
  }

  static int length(long record) {
    return (int) record;
  }

  /** Returns the bytes that a record takes in a ring. */
  static long bytes(int length) {
    return HEADER_BYTES + ((length + 7L) & ~7L);
  }
}
