package io.verbena.simulation;

import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Journal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory of a run's users, and a watch over what they have back: nobody writes there any more. */
final class Memory implements AutoCloseable {
  private static final int PAGE = 4096;

  private final Arena arena = Arena.ofShared();
  private final Journal journal;
  private final List<Given> given = new ArrayList<>();

  private record Given(MemorySegment memory, long op, String session) {}

  Memory(Journal journal) {
    this.journal = journal;
  }

  MemorySegment allocate(long bytes) {
    return arena.allocate(Math.max(1, bytes), PAGE);
  }

  /** Its user has it back, and writes something else there. */
  void isBack(MemorySegment memory, long op, String session) {
    Content.fill(memory, -op, 0);
    given.add(new Given(memory, op, session));
  }

  /** Looks whether all is still as its users left it. */
  void look() {
    for (Given one : given) {
      long at = Content.difference(one.memory, -one.op, 0);
      if (at >= 0) {
        journal.broken(
            "no landing is written after its owner has it back",
            one.session,
            one.op,
            "written at offset " + at);
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
