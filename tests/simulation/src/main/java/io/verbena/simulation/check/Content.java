package io.verbena.simulation.check;

import java.lang.foreign.MemorySegment;
import java.util.Random;

/**
 * The content of each object, which depends only on its number. Objects are parts of one noise,
 * each from its own place. Content is filled and compared by whole copies, because a run does much
 * of both.
 */
public final class Content {
  private static final int PLACES = 1 << 20;

  /** The longest object. */
  private static final int LONGEST = 1 << 20;

  /** The period of a text, in bytes. The last bytes of each period differ. */
  private static final int PERIOD = 64;

  private static final int NEW = 8;

  private static final byte[] BYTES = noise();
  private static final MemorySegment NOISE = MemorySegment.ofArray(BYTES);

  private Content() {}

  /** Returns the answer of a call with a number. */
  public static long answer(long op) {
    return op * 31 + 7;
  }

  private static byte[] noise() {
    byte[] made = new byte[PLACES + LONGEST];
    new Random(1).nextBytes(made);
    return made;
  }

  /** Returns the place of an object in the noise. The factor is odd, so that places differ. */
  private static int place(long op) {
    return (int) Math.floorMod(op * 611_953, (long) PLACES);
  }

  /** Fills memory with a part of an object. */
  public static void fill(MemorySegment memory, long op, long from) {
    MemorySegment.copy(NOISE, place(op) + from, memory, 0, memory.byteSize());
  }

  /** Returns an object. */
  public static byte[] bytes(long op, int length) {
    byte[] made = new byte[length];
    System.arraycopy(BYTES, place(op), made, 0, length);
    return made;
  }

  /** Returns an object that repeats a part of its bytes. */
  public static byte[] text(long op, int length) {
    byte[] made = bytes(op, length);
    for (int from = PERIOD; from < length; from += PERIOD) {
      System.arraycopy(made, 0, made, from, Math.min(PERIOD - NEW, length - from));
    }
    return made;
  }

  /** Returns the first difference of memory from a part of an object; -1 for none. */
  public static long difference(MemorySegment memory, long op, long from) {
    return NOISE.asSlice(place(op) + from, memory.byteSize()).mismatch(memory);
  }
}
