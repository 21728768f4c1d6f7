package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.BulkContract;
import io.verbena.testkit.LinkHarness;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/**
 * The bulk contract between two machines, where each link has receives of its own. Receivers are
 * ready throughout.
 */
@Tag("lab-two")
@DisplayName("Bulk between two machines")
final class TwoMachinesBulkContractTest extends BulkContract {
  private Map<String, Map<String, Long>> before = Map.of();

  @Override
  protected LinkHarness newHarness() {
    return new TwoMachinesHarness(RdmaSettings.DEFAULT.withGuaranteedCredits(0));
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
