package io.verbena.bench.soak;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Bytes that both ends know, so that what arrives can be compared. */
final class SoakData {
  private static final int OBJECT_BYTES = 3_000_001;

  private SoakData() {}

  /** Returns the bytes that belong to a number. */
  static byte[] of(long number, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(number).nextBytes(bytes);
    return bytes;
  }

  /** Returns the object that is fetched and pushed. */
  static byte[] object() {
    return of(-1, OBJECT_BYTES);
  }

  /** Fails unless both are the same. */
  static void requireSame(byte[] expected, byte[] found, String what) {
    if (!Arrays.equals(expected, found)) {
      throw new WrongAnswer(
          "%s arrived altered: %d bytes, where %d were sent, other from %d on"
              .formatted(what, found.length, expected.length, Arrays.mismatch(expected, found)));
    }
  }

  /** An answer that is not what was asked for. */
  static final class WrongAnswer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongAnswer(String message) {
      super(message);
    }
  }
}
