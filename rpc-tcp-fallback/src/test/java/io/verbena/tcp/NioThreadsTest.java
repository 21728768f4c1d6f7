package io.verbena.tcp;

import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;

final class NioThreadsTest extends LinkThreadsContract {
  @Override
  protected LinkHarness newHarness() {
    return new TcpHarness(Transport.nio("for the test"), null, null, 0);
  }
}
