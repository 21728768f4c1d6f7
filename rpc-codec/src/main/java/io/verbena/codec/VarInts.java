package io.verbena.codec;

/** The encoded length of numbers with 7 bits a byte. */
final class VarInts {
  private VarInts() {}

  static int sizeOf(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  static int sizeOf(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }
}
