package io.verbena.rdma;

import io.verbena.testkit.BulkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/** The bulk contract over a real verbs device, where each link has receives of its own. */
@Tag("lab")
@DisplayName("Bulk over a device")
final class DeviceBulkContractTest extends BulkContract {
  @Override
  protected LinkHarness newHarness() {
    return new DeviceLinkHarness(RdmaSettings.DEFAULT.withGuaranteedCredits(0));
  }
}
