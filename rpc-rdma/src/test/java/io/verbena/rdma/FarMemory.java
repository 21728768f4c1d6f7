package io.verbena.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;

/**
 * Memory that both of two processes have, each a copy of its own, under the same names: the
 * addresses that it has at the test's.
 */
final class FarMemory {
  private record Piece(MemorySegment memory, Arena arena) {}

  private final TreeMap<Long, Piece> pieces = new TreeMap<>();

  /** Allocates memory that is named by its own address. */
  MemorySegment allocate(long bytes) {
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(bytes, 64);
    pieces.put(memory.address(), new Piece(memory, arena));
    return memory;
  }

  /** Allocates memory for a name. */
  void allocate(long name, long bytes) {
    Arena arena = Arena.ofShared();
    pieces.put(name, new Piece(arena.allocate(bytes, 64), arena));
  }

  void free(long name) {
    Piece piece = pieces.remove(name);
    if (piece == null) {
      throw new IllegalArgumentException("no memory has the name " + name);
    }
    piece.arena().close();
  }

  MemorySegment named(long name, long bytes) {
    Map.Entry<Long, Piece> piece = pieces.floorEntry(name);
    if (piece == null) {
      throw new IllegalArgumentException("no memory has the name " + name);
    }
    return piece.getValue().memory().asSlice(name - piece.getKey(), bytes);
  }

  long nameOf(MemorySegment part) {
    for (Map.Entry<Long, Piece> piece : pieces.entrySet()) {
      long offset = part.address() - piece.getValue().memory().address();
      if (offset >= 0 && offset + part.byteSize() <= piece.getValue().memory().byteSize()) {
        return piece.getKey() + offset;
      }
    }
    throw new IllegalArgumentException("not memory that the other process knows of: " + part);
  }
}
