package io.verbena.verbs.fabric;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** Accesses memory of the process by address, like a device. Callers check keys and bounds. */
final class FabricMemory {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private FabricMemory() {}

  static void copy(long from, long to, long length) {
    MemorySegment.copy(ALL, from, ALL, to, length);
  }

  static long getLong(long address) {
    return ALL.get(JAVA_LONG, address);
  }

  static int getInt(long address) {
    return ALL.get(JAVA_INT, address);
  }

  static void putLong(long address, long value) {
    ALL.set(JAVA_LONG, address, value);
  }

  static void putInt(long address, int value) {
    ALL.set(JAVA_INT, address, value);
  }
}
