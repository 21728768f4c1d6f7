package io.verbena.tcp;

import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;

final class TlsThreadsTest extends LinkThreadsContract {
  @Override
  protected LinkHarness newHarness() {
    return TcpHarness.tls();
  }
}
