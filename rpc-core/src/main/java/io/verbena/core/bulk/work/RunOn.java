package io.verbena.core.bulk.work;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who moves bytes, and so on which threads; the later, the less may be relied on. What a user's
 * code does waits for nobody but that user.
 */
public enum RunOn {
  /** This engine, from memory: on its own threads, and never for long. */
  MEMORY,

  /** This engine, from files or what is mapped: on its own threads, and may wait for a disk. */
  FILES,

  /** A user's code: on the users' executor. */
  USER;

  /** Returns who reads and writes memory. */
  public static RunOn of(MemorySegment memory) {
    return memory.isMapped() ? FILES : MEMORY;
  }

  /** Has work done there; what follows runs on the loop, with what went wrong. */
  public void run(Threads threads, Offload.Work work, Consumer<@Nullable Throwable> then) {
    switch (this) {
      case MEMORY -> Offload.compute(threads, work, then);
      case FILES -> Offload.file(threads, work, then);
      case USER -> Offload.call(threads, work, then);
    }
  }
}
