package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system in memory that has no room for another link. */
final class FullMemoryTest {
  @TempDir private Path base;
  private boolean mounted;

  @SuppressWarnings("NullAway.Init") // by JUnit
  FullMemoryTest() {}

  private static boolean runs(String... command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(List.of(command)).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @BeforeEach
  void mount() throws Exception {
    mounted = runs("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", base.toString());
    Assumptions.assumeTrue(mounted, "only root mounts a file system");
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      assertThat(runs("umount", base.toString())).isTrue();
    }
  }

  @Test
  void failsTheNextLinkInWordsAndLeavesOthersAlone() throws Exception {
    try (TwoEnds ends = new TwoEnds(base)) {
      ends.open(); // its file takes half of a mebibyte
      TwoEnds.Outcome offered = new TwoEnds.Outcome();
      String failure = ends.connect(ends.offer(offered)).failure();
      ends.stepUntil("the other end", offered::isKnown);
      assertThat(failure)
          .contains("the peer refuses the link", base + " has no room for 0.5 MiB", "--shm-size");
      assertThat(offered.failure()).contains("no room for 0.5 MiB");
    }
  }
}
