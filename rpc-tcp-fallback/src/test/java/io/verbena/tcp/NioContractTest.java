package io.verbena.tcp;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;

@DisplayName("A TCP link on the JDK's selectors")
final class NioContractTest extends LinkContract {
  /**
   * The JDK's selector adds a node to its set of ready sockets, and an iterator goes over it: what
   * Netty replaces by an array where reflection into the JDK is allowed. Twice each way, as both
   * ends wait.
   */
  private static final int SELECTED_KEYS = 2 * 2 * 64;

  @Override
  protected LinkHarness newHarness() {
    return new TcpHarness(Transport.nio("for the test"), null, null, SELECTED_KEYS);
  }
}
