package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/** The link contract between two machines, by shared receives. Receivers are ready throughout. */
@Tag("lab-two")
@DisplayName("A link between two machines")
final class TwoMachinesLinkContractTest extends LinkContract {
  private Map<String, Map<String, Long>> before = Map.of();

  @Override
  protected LinkHarness newHarness() {
    return new TwoMachinesHarness(FabricLinkHarness.SETTINGS);
  }

  @BeforeEach
  void readCounters() throws IOException {
    before = TwoMachinesHarness.notReady();
  }

  @AfterEach
  void noReceiverWasEverNotReady() throws IOException {
    assertThat(TwoMachinesHarness.notReady()).isEqualTo(before);
  }
}
