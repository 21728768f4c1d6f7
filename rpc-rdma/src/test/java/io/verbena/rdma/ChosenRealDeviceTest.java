package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.link.runtime.NanoClock;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.ffm.FfmProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links go by the device that was chosen, where the kernel has two. */
@Tag("lab")
@EnabledIfEnvironmentVariable(named = "LAB_NAME", matches = ".+")
final class ChosenRealDeviceTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(20), null);

  @BeforeAll
  static void addADevice() throws Exception {
    run("ip link add second type ifb");
    run("ip address add 10.8.0.1/24 dev second");
    run("ip link set second up");
    run("rdma link add rxe7 type rxe netdev second");
    for (int i = 0; i < 600 && !reasonAgainst("rxe7").isEmpty(); i++) {
      Thread.sleep(50); // its address comes in the kernel's own time
    }
    assertThat(reasonAgainst("rxe7")).isEmpty();
  }

  @AfterAll
  static void removeIt() throws Exception {
    run("rdma link delete rxe7");
    run("ip link delete second");
  }

  private static Process start(String command) throws IOException {
    return new ProcessBuilder(command.split(" ")).inheritIO().start();
  }

  private static void run(String command) throws IOException, InterruptedException {
    Process process = start(command);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as(command).isTrue();
    assertThat(process.exitValue()).as(command).isZero();
  }

  private static RdmaSettings settings(String choice) {
    return RdmaSettings.DEFAULT.withDevice(DeviceChoice.of(choice));
  }

  private static String reasonAgainst(String choice) {
    RdmaUpgradeProvider links =
        new RdmaUpgradeProvider(new FfmProvider(), settings(choice), NanoClock.SYSTEM);
    return links.availability() instanceof Availability.Unavailable none ? none.reason() : "";
  }

  private static String path(String choice) throws Exception {
    DeviceLinkHarness harness = new DeviceLinkHarness(settings(choice));
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      SteppedLinks.Pair pair = links.open();
      pair.client().sendNow(new byte[1000]);
      links.stepUntil("the frame", () -> pair.server().heard().frames().size() == 1);
      return pair.client().link().capabilities().detail();
    } finally {
      harness.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rxe7", "rxe7:1,family=ipv4", "netdev=second", "subnet=10.8.0.0/16"})
  void aLinkGoesByTheOneThatWasChosen(String choice) throws Exception {
    assertThat(path(choice)).isEqualTo("rxe7 at 10.8.0.1");
  }

  @Test
  void orByTheOther() throws Exception {
    String device = DeviceLinkHarness.variable("LAB_DEVICE");
    String address = DeviceLinkHarness.variable("LAB_ADDRESS");
    assertThat(path(device + ",family=ipv4")).isEqualTo(device + " at " + address);
    assertThat(path(device + ",family=ipv6")).startsWith(device + " at [fd07:");
  }

  @Test
  void whatNoneFitsSaysWhatThereIs() {
    assertThat(reasonAgainst("mlx5_9"))
        .startsWith("no verbs device mlx5_9; there are ")
        .contains("rxe7");
    assertThat(reasonAgainst("netdev=second,type=roce-v1"))
        .contains("10.8.0.1, RoCE v2, second (not RoCE v1)");
  }
}
