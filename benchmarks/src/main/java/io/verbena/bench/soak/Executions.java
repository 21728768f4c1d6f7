package io.verbena.bench.soak;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How often each call was executed, in a file that outlives the server's process: what was written
 * by one that is killed stays in the kernel's pages. Safe for use by any thread and process.
 */
final class Executions implements AutoCloseable {
  /** Beyond what two hours make. */
  private static final long MOST = 1L << 27;

  private static final VarHandle COUNT = ValueLayout.JAVA_INT.varHandle();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment counts;

  /** Maps a file; sparse, so that it takes what is used of it. */
  Executions(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      counts = channel.map(FileChannel.MapMode.READ_WRITE, 0, MOST * Integer.BYTES, arena);
    }
  }

  /** Counts an execution. */
  void executed(long number) {
    COUNT.getAndAdd(counts, number * Integer.BYTES, 1);
  }

  /** Returns how often a call was executed. */
  int of(long number) {
    return (int) COUNT.getVolatile(counts, number * Integer.BYTES);
  }

  @Override
  public void close() {
    arena.close();
  }
}
