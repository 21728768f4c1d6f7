package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.testkit.JavaProcess;
import io.verbena.verbs.disni.Launch;
import io.verbena.verbs.testkit.ActiveProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A program that knows nothing but DiSNI, started by the launcher in a process of its own. */
class LaunchTest {
  private static JavaProcess.Ended launch(String... arguments) throws Exception {
    return JavaProcess.of(Launch.class, arguments)
        .options("--enable-native-access=ALL-UNNAMED")
        .mergesErrors()
        .run(Duration.ofMinutes(1));
  }

  @Test
  @Tag("lab")
  void runsAProgramWithActiveEndpointsAsItIs() throws Exception {
    JavaProcess.Ended ended =
        launch(
            ActiveProgram.class.getName(),
            LabDevice.ipv4(0).getAddress().getHostAddress(),
            "18540");
    assertThat(ended.out()).contains("the last answer is 100");
    assertThat(ended.status()).isZero();
  }

  @Test
  void saysWhatToDoWhereThereIsNoDevice() throws Exception {
    assumeTrue(
        Files.notExists(Path.of("/dev/infiniband/rdma_cm")), "this machine has an RDMA stack");
    JavaProcess.Ended ended = launch(ActiveProgram.class.getName(), "10.0.0.1", "1");
    assertThat(ended.out()).startsWith("Launch: ").contains("modprobe");
    assertThat(ended.status()).isOne();
  }

  @Test
  void saysThatAClassIsToBeNamed() throws Exception {
    JavaProcess.Ended ended = launch();
    assertThat(ended.out()).contains("name the class");
    assertThat(ended.status()).isOne();
  }
}
