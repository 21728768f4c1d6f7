package io.verbena.rdma;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.Tag;

/** The link contract over a real verbs device, by shared receives. */
@Tag("lab")
final class DeviceLinkContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    return new DeviceLinkHarness(FabricLinkHarness.SETTINGS);
  }
}
