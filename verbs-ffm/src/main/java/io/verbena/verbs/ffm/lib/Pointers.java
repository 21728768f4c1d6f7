package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ffm.abi.CStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reads what native pointers lead to. */
public final class Pointers {
  private Pointers() {}

  private static final MemorySegment EVERYTHING = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** The struct that a pointer leads to, for as long as the library keeps it. */
  public static MemorySegment struct(MemorySegment pointer, CStruct layout) {
    return pointer.reinterpret(layout.size());
  }

  /** A pointer member. */
  public static MemorySegment pointer(MemorySegment struct, CStruct layout, String member) {
    return struct.get(ADDRESS, layout.offset(member));
  }

  /** A member of 32 bits. */
  public static int u32(MemorySegment struct, CStruct layout, String member) {
    return struct.get(JAVA_INT, layout.offset(member));
  }

  /** Room for a struct or a pointer that a call fills, zeroed. */
  public static MemorySegment room(Arena arena, CStruct layout) {
    return arena.allocate(layout.size(), Long.BYTES);
  }

  /** 32 bits anywhere; the caller knows that they are there. */
  public static int u32At(long address) {
    return EVERYTHING.get(JAVA_INT, address);
  }

  /** 64 bits anywhere; the caller knows that they are there. */
  public static long u64At(long address) {
    return EVERYTHING.get(JAVA_LONG, address);
  }

  /** A C string. */
  public static String string(MemorySegment pointer) {
    return pointer.reinterpret(Long.MAX_VALUE).getString(0);
  }
}
