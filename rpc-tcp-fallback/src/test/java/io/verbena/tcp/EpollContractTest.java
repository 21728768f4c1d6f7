package io.verbena.tcp;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;

@DisplayName("A TCP link on epoll")
final class EpollContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    return new TcpHarness(Transport.epoll(), null, null, 0);
  }
}
