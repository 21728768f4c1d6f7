package io.verbena.tcp;

import io.verbena.testkit.BulkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Bulk on a TCP link with mutual TLS")
final class TlsBulkContractTest extends BulkContract {
  @Override
  protected LinkHarness newHarness() {
    return TcpHarness.tls();
  }
}
