package io.verbena.shm;

import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;

/** The contract of two threads over shared memory. */
final class ShmLinkThreadsContractTest extends LinkThreadsContract {
  @Override
  protected LinkHarness newHarness() {
    return new ShmLinkHarness(ShmSettings.DEFAULT);
  }
}
