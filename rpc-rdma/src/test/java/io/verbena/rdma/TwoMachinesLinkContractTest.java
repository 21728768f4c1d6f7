package io.verbena.rdma;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/** The link contract between two machines, by shared receives. */
@Tag("lab-two")
@DisplayName("A link between two machines")
final class TwoMachinesLinkContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    return new TwoMachinesHarness(FabricLinkHarness.SETTINGS);
  }
}
