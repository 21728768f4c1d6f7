package io.verbena.bench.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The content of messages: a number of eight bytes, then bytes that depend on their position. */
public final class Messages {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int STEP = 31;

  private Messages() {}

  /** Returns a message of this length, with the number 0. */
  public static byte[] of(int length) {
    byte[] message = new byte[length];
    for (int i = Kind.NUMBER_BYTES; i < length; i++) {
      message[i] = (byte) (i * STEP);
    }
    return message;
  }

  public static void number(byte[] message, long number) {
    LONG.set(message, 0, number);
  }

  public static long number(byte[] message) {
    return (long) LONG.get(message, 0);
  }

  /** Returns the first difference of an answer from a message after the number; -1 for none. */
  static int difference(byte[] expected, byte[] answer) {
    int at =
        Arrays.mismatch(
            expected, Kind.NUMBER_BYTES, expected.length, answer, Kind.NUMBER_BYTES, answer.length);
    return at < 0 ? -1 : at + Kind.NUMBER_BYTES;
  }
}
