package io.verbena.rdma;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.DeviceProfile;

/** The link contract over verbs in memory that make use of every freedom verbs have. */
final class FabricLinkContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    long seed = Seed.random("link contract over a fabric").nextLong();
    return new FabricLinkHarness(seed, DeviceProfile.full());
  }
}
