package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever keeps foreign functions from being called is a value with its cure. */
class OtherJvmTest {
  /** Asks in a JVM of its own, as often as a program with several sessions does. */
  static final class Asking {
    private Asking() {}

    public static void main(String[] args) {
      for (int i = 0; i < 3; i++) {
        System.out.println(
            Prerequisites.libraries().map(Throwable::getMessage).orElse("nothing is missing"));
      }
    }
  }

  @Test
  void aJvmThatDeniesNativeAccessIsToldHowToAllowIt() throws Exception {
    assertThat(answers(List.of("--illegal-native-access=deny"), Map.of()))
        .hasSize(3)
        .allMatch(answer -> answer.contains("--enable-native-access=ALL-UNNAMED"));
  }

  @Test
  void aLibraryThatLacksAFunctionIsNamedWithTheFunction(@TempDir Path libraries) throws Exception {
    for (String soname : List.of("libibverbs.so.1", "librdmacm.so.1")) {
      Files.copy(aLibraryOfAnotherKind(), libraries.resolve(soname));
    }

    assertThat(
            answers(
                List.of("--enable-native-access=ALL-UNNAMED"),
                Map.of("LD_LIBRARY_PATH", libraries.toString())))
        .hasSize(3)
        .allMatch(
            answer -> answer.contains("libibverbs.so.1 has no ibv_alloc_pd. Install rdma-core"));
  }

  /** One of the JDK's own. */
  private static Path aLibraryOfAnotherKind() {
    return Path.of(System.getProperty("java.home"), "lib", "libzip.so");
  }

  private static List<String> answers(List<String> flags, Map<String, String> environment)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // quick to start
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Asking.class.getName()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.lines().toList();
  }
}
