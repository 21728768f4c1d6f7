package io.verbena.simulation.check;

import java.lang.foreign.MemorySegment;
import java.util.Random;

/**
 * The bytes of each object, known from its number alone: a stretch of one noise, each object's from
 * a place of its own. Filled and compared by whole copies, since a run does much of both.
 */
public final class Content {
  private static final int PLACES = 1 << 20;

  /** The longest object. */
  private static final int LONGEST = 1 << 20;

  /** Of a text so many bytes come again, but for the last few of them. */
  private static final int PERIOD = 64;

  private static final int NEW = 8;

  private static final byte[] BYTES = noise();
  private static final MemorySegment NOISE = MemorySegment.ofArray(BYTES);

  private Content() {}

  /** Returns what a call of this number is answered with. */
  public static long answer(long op) {
    return op * 31 + 7;
  }

  private static byte[] noise() {
    byte[] made = new byte[PLACES + LONGEST];
    new Random(1).nextBytes(made);
    return made;
  }

  /** Odd, so that no two of so many numbers share a place. */
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

  /** Returns an object of which a part comes over and over. */
  public static byte[] text(long op, int length) {
    byte[] made = bytes(op, length);
    for (int from = PERIOD; from < length; from += PERIOD) {
      System.arraycopy(made, 0, made, from, Math.min(PERIOD - NEW, length - from));
    }
    return made;
  }

  /** Returns where memory first differs from a part of an object; -1: nowhere. */
  public static long difference(MemorySegment memory, long op, long from) {
    return NOISE.asSlice(place(op) + from, memory.byteSize()).mismatch(memory);
  }
}
