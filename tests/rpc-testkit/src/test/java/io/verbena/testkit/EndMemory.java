package io.verbena.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory at one end of a link, and how a test reaches it. Where that end is in another process,
 * what the test holds is a copy, and {@link #put} and {@link #get} carry bytes between the two.
 * Used by the test's thread alone.
 */
public interface EndMemory extends AutoCloseable {
  /** Returns memory of that end, zeroed, for the test to attach there. */
  MemorySegment allocate(long bytes);

  /** Frees what {@link #allocate} returned. */
  void free(MemorySegment memory);

  /** Brings what the test has written to that end. */
  void put(MemorySegment memory);

  /** Brings what that end has now to the test. */
  void get(MemorySegment memory);

  /** Frees all that is left. */
  @Override
  void close();

  /** Returns memory of this process. */
  static EndMemory ofThisProcess() {
    return new OfThisProcess();
  }

  /** The end's memory is the test's own. */
  final class OfThisProcess implements EndMemory {
    private final Map<Long, Arena> arenas = new HashMap<>();

    private OfThisProcess() {}

    @Override
    public MemorySegment allocate(long bytes) {
      Arena arena = Arena.ofShared();
      MemorySegment memory = arena.allocate(bytes, 64);
      arenas.put(memory.address(), arena);
      return memory;
    }

    @Override
    public void free(MemorySegment memory) {
      Arena arena = arenas.remove(memory.address());
      if (arena == null) {
        throw new IllegalArgumentException("not allocated here, or freed already: " + memory);
      }
      arena.close();
    }

    @Override
    public void put(MemorySegment memory) {}

    @Override
    public void get(MemorySegment memory) {}

    @Override
    public void close() {
      arenas.values().forEach(Arena::close);
      arenas.clear();
    }
  }
}
