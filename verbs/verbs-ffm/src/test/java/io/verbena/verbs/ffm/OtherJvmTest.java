package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each obstacle to foreign functions is a value with its cure. */
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
    assertThat(answers("--illegal-native-access=deny", Map.of()))
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
                "--enable-native-access=ALL-UNNAMED",
                Map.of("LD_LIBRARY_PATH", libraries.toString())))
        .hasSize(3)
        .allMatch(
            answer -> answer.contains("libibverbs.so.1 has no ibv_alloc_pd. Install rdma-core"));
  }

  /** One of the JDK's own. */
  private static Path aLibraryOfAnotherKind() {
    return Path.of(System.getProperty("java.home"), "lib", "libzip.so");
  }

  private static List<String> answers(String option, Map<String, String> environment)
      throws IOException, InterruptedException {
    JavaProcess.Ended ended =
        JavaProcess.of(Asking.class)
            .options(option)
            .environment(environment)
            .mergesErrors()
            .run(Duration.ofMinutes(1));
    assertThat(ended.status()).as(ended.out()).isZero();
    return ended.out().lines().toList();
  }
}
