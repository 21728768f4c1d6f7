package io.verbena.verbs.ffm.lib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.ffm.abi.CStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reads native memory through pointers. */
public final class Pointers {
  private Pointers() {}

  private static final MemorySegment EVERYTHING = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** Returns the struct at a pointer. It is valid as long as the library keeps it. */
  public static MemorySegment struct(MemorySegment pointer, CStruct layout) {
    return pointer.reinterpret(layout.size());
  }

  /** Reads a pointer member. */
  public static MemorySegment pointer(MemorySegment struct, CStruct layout, String member) {
    return struct.get(ADDRESS, layout.offset(member));
  }

  /** Reads a member of 32 bits. */
  public static int u32(MemorySegment struct, CStruct layout, String member) {
    return struct.get(JAVA_INT, layout.offset(member));
  }

  /** Allocates zeroed memory for a struct that a call fills. */
  public static MemorySegment room(Arena arena, CStruct layout) {
    return arena.allocate(layout.size(), Long.BYTES);
  }

  /** Reads 32 bits at any address. The caller ensures that they are mapped. */
  public static int u32At(long address) {
    return EVERYTHING.get(JAVA_INT, address);
  }

  /** Reads 64 bits at any address. The caller ensures that they are mapped. */
  public static long u64At(long address) {
    return EVERYTHING.get(JAVA_LONG, address);
  }

  /** Reads a C string. */
  public static String string(MemorySegment pointer) {
    return pointer.reinterpret(Long.MAX_VALUE).getString(0);
  }
}
