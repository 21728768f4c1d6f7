package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * The link contract over a real verbs device, by shared receives. The receivers are ready
 * throughout.
 */
@Tag("lab")
final class DeviceLinkContractTest extends LinkContract {
  private Map<String, Long> before = Map.of();

  @Override
  protected LinkHarness newHarness() {
    return new DeviceLinkHarness(FabricLinkHarness.SETTINGS);
  }

  @BeforeEach
  void readCounters() throws IOException {
    before = NotReady.counters();
  }

  @AfterEach
  void noReceiverWasEverNotReady() throws IOException {
    assertThat(NotReady.counters()).isEqualTo(before);
  }
}
