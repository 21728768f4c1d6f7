package io.verbena.rdma;

import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;
import org.junit.jupiter.api.Tag;

/** Two loops that wait when idle, over a real verbs device. */
@Tag("lab")
final class DeviceThreadsTest extends LinkThreadsContract {
  @Override
  protected LinkHarness newHarness() {
    return new DeviceLinkHarness(RdmaSettings.DEFAULT);
  }
}
