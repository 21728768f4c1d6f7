package io.verbena.core.contract;

/**
 * What the replies of one method take beyond a slot, as far as is known: it falls slowly from the
 * longest. Safe for use by any thread; a race forgets one reply, no more.
 */
public final class ReplySize {
  /** No reply was made yet. */
  public static final long UNKNOWN = -1;

  private static final int FALL = 16;

  private volatile long expected = UNKNOWN;

  /** Returns what the next reply may take, in bytes; 0 if it fits a slot. */
  public long expected() {
    return expected;
  }

  /** A reply has taken so many bytes. */
  public void took(long bytes) {
    long before = expected;
    if (bytes > before) {
      expected = bytes;
    } else if (bytes < before) {
      expected = before - Math.ceilDiv(before - bytes, FALL);
    }
  }
}
