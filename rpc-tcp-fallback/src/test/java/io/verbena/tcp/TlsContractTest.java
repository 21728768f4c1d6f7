package io.verbena.tcp;

import io.verbena.link.TlsOptions;
import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("A TCP link with mutual TLS")
@Tag("long")
final class TlsContractTest extends LinkContract {
  /** What the JDK's cipher suites allocate for two records sealed and two opened. */
  private static final int CIPHERS = 16 << 10;

  @Override
  protected LinkHarness newHarness() {
    TlsOptions client = TlsOptions.client(Identities.CLIENT.trusting(Identities.SERVER));
    TlsOptions server = TlsOptions.mutual(Identities.SERVER.trusting(Identities.CLIENT));
    return new TcpHarness(Transport.best(), client, server, CIPHERS);
  }
}
