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
 * The bulk contract over a real verbs device, where each link has receives of its own. The
 * receivers are ready throughout.
 */
@Tag("lab")
@DisplayName("Bulk over a device")
final class DeviceBulkContractTest extends BulkContract {
  private Map<String, Long> before = Map.of();

  @Override
  protected LinkHarness newHarness() {
    return new DeviceLinkHarness(RdmaSettings.DEFAULT.withGuaranteedCredits(0));
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
