package io.verbena.simulation;

import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Journal;
import io.verbena.simulation.plan.Step.Stage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** The memory of a run's users. It checks that memory is not written after users have it back. */
final class Memory implements AutoCloseable {
  private static final int PAGE = 4096;

  /** This number of an object's bytes is hardly ever all zero. */
  private static final int SOME_BYTES = 8;

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

  /** Returns whether an object has reached a stage in fresh memory, which is all zeros. */
  static boolean hasLanded(MemorySegment into, Stage stage, long length) {
    long end = landed(stage, length);
    for (long at = Math.max(0, end - SOME_BYTES); at < end; at++) {
      if (into.get(ValueLayout.JAVA_BYTE, at) != 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns the number of bytes that have landed at a stage. */
  static long landed(Stage stage, long length) {
    return switch (stage) {
      case OFFERED -> 0;
      case FIRST_LANDED -> Math.min(SOME_BYTES, length);
      case HALF_LANDED -> Math.ceilDiv(length, 2);
      case ALL_LANDED, TAKEN -> length;
    };
  }

  /** Records that a user has memory back, and overwrites it. */
  void isBack(MemorySegment memory, long op, String session) {
    Content.fill(memory, -op, 0);
    given.add(new Given(memory, op, session));
  }

  /** Checks that memory is still as its users left it. */
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
