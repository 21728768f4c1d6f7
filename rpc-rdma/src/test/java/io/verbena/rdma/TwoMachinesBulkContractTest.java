package io.verbena.rdma;

import io.verbena.testkit.BulkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/** The bulk contract between two machines, where each link has receives of its own. */
@Tag("lab-two")
@DisplayName("Bulk between two machines")
final class TwoMachinesBulkContractTest extends BulkContract {
  @Override
  protected LinkHarness newHarness() {
    return new TwoMachinesHarness(RdmaSettings.DEFAULT.withGuaranteedCredits(0));
  }
}
