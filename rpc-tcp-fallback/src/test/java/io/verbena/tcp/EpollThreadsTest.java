package io.verbena.tcp;

import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;

final class EpollThreadsTest extends LinkThreadsContract {
  @Override
  protected LinkHarness newHarness() {
    return new TcpHarness(Transport.epoll(), null, null, 0);
  }
}
