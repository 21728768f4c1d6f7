package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.RefusedThreads;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that gets no thread more. */
final class NoThreadTest {
  @Test
  @SuppressWarnings("ThreadLocalUsage") // of this test's threads alone
  void itsLoopsPollAndWaitAgainOnceThereIsOne(@TempDir Path base) throws Exception {
    try (RefusedThreads threads = new RefusedThreads(() -> {})) {
      threads.after(0);
      try (TwoEnds ends = new TwoEnds(base)) {
        List<LinkEnd> pair = ends.open();
        assertThat(ends.active.armWakeup(System.nanoTime())).isFalse();
        ends.requireThatLinksWork();
        pair.getFirst().link().close();
        ends.stepUntil("the end", () -> pair.getLast().heard().isClosed());
        ends.open();
        ends.step();
        threads.allow();
        assertThat(ends.active.armWakeup(System.nanoTime())).isTrue();
      }
    }
  }
}
