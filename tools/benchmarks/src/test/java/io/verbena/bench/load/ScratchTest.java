package io.verbena.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                List.of(
                    java,
                    "-Djava.io.tmpdir=" + folder,
                    "-cp",
                    System.getProperty("java.class.path"),
                    Ended.class.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var output = process.inputReader(StandardCharsets.UTF_8)) {
      assertThat(output.readLine()).isEqualTo("ready");
      assertThat(folder).isNotEmptyDirectory();
      process.destroy();
      process.waitFor();
      assertThat(folder).isEmptyDirectory();
    } finally {
      process.destroyForcibly();
    }
  }
}
