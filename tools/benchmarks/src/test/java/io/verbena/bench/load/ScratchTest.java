package io.verbena.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchTest {
  /** A process that is ended by a signal, with files that nobody has deleted. */
  static final class Ended {
    private Ended() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      Files.writeString(Scratch.file(), "an object");
      Files.writeString(Scratch.folder().resolve("object-1"), "another one");
      System.out.println("ready");
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @Test
  void isGoneWhenItsProcessIsEndedByASignal(@TempDir Path folder) throws Exception {
    List<String> options = List.of("-Djava.io.tmpdir=" + folder);
    try (JavaProcess process = JavaProcess.start(options, Ended.class)) {
      assertThat(process.line()).isEqualTo("ready");
      assertThat(folder).isNotEmptyDirectory();
      process.terminate();
      process.end(Duration.ofMinutes(1));
      assertThat(folder).isEmptyDirectory();
    }
  }
}
