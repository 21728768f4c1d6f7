package io.verbena.it.machines;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How often the handler of each call began, and came to its end: in a file that all processes have
 * mapped. What was counted stays when a process is killed. Safe for any thread.
 */
final class Journal implements AutoCloseable {
  /** So many calls have a place. */
  static final int CALLS = 2_000_000;

  private static final VarHandle COUNT = ValueLayout.JAVA_INT.varHandle();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment counts;

  Journal(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      counts = channel.map(FileChannel.MapMode.READ_WRITE, 0, CALLS * 8L, arena);
    }
  }

  void begin(long call) {
    int before = (int) COUNT.getAndAdd(counts, call * 8, 1);
    assert before >= 0;
  }

  void end(long call) {
    int before = (int) COUNT.getAndAdd(counts, call * 8 + 4, 1);
    assert before >= 0;
  }

  int begun(long call) {
    return (int) COUNT.getVolatile(counts, call * 8);
  }

  int ended(long call) {
    return (int) COUNT.getVolatile(counts, call * 8 + 4);
  }

  @Override
  public void close() {
    arena.close();
  }
}
