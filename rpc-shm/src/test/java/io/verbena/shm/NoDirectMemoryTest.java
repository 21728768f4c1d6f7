package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.LinkEnd;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process whose other libraries have taken all direct memory, or may need it. */
final class NoDirectMemoryTest {
  private static final BufferPoolMXBean DIRECT =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .findFirst()
          .orElseThrow();

  @Test
  void linksTakeNone(@TempDir Path base) throws Exception {
    use(base); // what tests have of it
    // The JDK keeps what a thread has needed for a socket: one that has needed nothing yet.
    try (var thread = Executors.newSingleThreadExecutor()) {
      long taken = thread.submit(() -> use(base)).get();
      assertThat(taken).as("buffers of direct memory").isZero();
    }
  }

  /** Returns how many more buffers of direct memory there are than before. */
  private static long use(Path base) throws Exception {
    long before = DIRECT.getCount();
    try (TwoEnds ends = new TwoEnds(base)) {
      ends.requireThatLinksWork();
      LinkEnd here = ends.open().getFirst();
      here.sendNow(new byte[10_000]);
      ends.step();
      assertThat(ends.connect(new byte[3]).failure()).isNotEmpty();
      return DIRECT.getCount() - before;
    }
  }
}
