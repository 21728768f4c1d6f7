package io.verbena.shm;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;

/** The link contract over shared memory. */
final class ShmLinkContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    return new ShmLinkHarness(ShmSettings.DEFAULT);
  }
}
