package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.disni.Launch;
import io.verbena.verbs.testkit.ActiveProgram;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A program that knows nothing but DiSNI, started by the launcher in a process of its own. */
class LaunchTest {
  private record Ended(int status, String said) {
    static Ended of(String... arguments) throws Exception {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("--enable-native-access=ALL-UNNAMED");
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), Launch.class.getName()));
      command.addAll(List.of(arguments));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Ended(process.waitFor(), said);
    }
  }

  @Test
  @Tag("lab")
  void runsAProgramWithActiveEndpointsAsItIs() throws Exception {
    Ended ended =
        Ended.of(
            ActiveProgram.class.getName(),
            LabDevice.ipv4(0).getAddress().getHostAddress(),
            "18540");
    assertThat(ended.said()).contains("the last answer is 100");
    assertThat(ended.status()).isZero();
  }

  @Test
  void saysWhatToDoWhereThereIsNoDevice() throws Exception {
    assumeTrue(
        Files.notExists(Path.of("/dev/infiniband/rdma_cm")), "this machine has an RDMA stack");
    Ended ended = Ended.of(ActiveProgram.class.getName(), "10.0.0.1", "1");
    assertThat(ended.said()).startsWith("Launch: ").contains("modprobe");
    assertThat(ended.status()).isOne();
  }

  @Test
  void saysThatAClassIsToBeNamed() throws Exception {
    Ended ended = Ended.of();
    assertThat(ended.said()).contains("name the class");
    assertThat(ended.status()).isOne();
  }
}
