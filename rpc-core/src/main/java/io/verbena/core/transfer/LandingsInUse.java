package io.verbena.core.transfer;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;

/**
 * The users' memory into which transfers of this process write. Two objects in the same memory
 * would both arrive, and neither be there. Memory that was freed amid its transfer no longer
 * counts, since its address may be another memory's by now. Safe for use by any thread.
 */
final class LandingsInUse {
  /** The ranges by their beginning. Those that are alive do not overlap. */
  private static final TreeMap<Long, MemorySegment> RANGES = new TreeMap<>();

  private LandingsInUse() {}

  /** Takes a range of memory outside the heap; returns false if a part of it is taken. */
  static boolean take(MemorySegment memory) {
    long from = memory.address();
    long to = from + memory.byteSize();
    if (from == to) {
      return true;
    }
    synchronized (RANGES) {
      for (Map.Entry<Long, MemorySegment> before = RANGES.lowerEntry(to);
          before != null && end(before.getValue()) > from;
          before = RANGES.lowerEntry(to)) {
        if (before.getValue().scope().isAlive()) {
          return false;
        }
        RANGES.remove(before.getKey());
      }
      RANGES.put(from, memory);
      return true;
    }
  }

  /** Gives back a range that was taken, unless other memory has its address by now. */
  static void giveBack(MemorySegment memory) {
    synchronized (RANGES) {
      RANGES.computeIfPresent(memory.address(), (from, taken) -> taken == memory ? null : taken);
    }
  }

  private static long end(MemorySegment memory) {
    return memory.address() + memory.byteSize();
  }
}
