package io.verbena.shm;

import io.verbena.testkit.BulkContract;
import io.verbena.testkit.LinkHarness;

/** The bulk contract over shared memory. */
final class ShmBulkContractTest extends BulkContract {
  @Override
  protected LinkHarness newHarness() {
    return new ShmLinkHarness(ShmSettings.DEFAULT);
  }
}
