package io.verbena.testkit;

import io.verbena.mem.InMemoryNetwork;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Bulk on an in-memory link")
final class InMemoryBulkContractTest extends BulkContract {
  @Override
  protected LinkHarness newHarness() {
    return new InMemoryHarness(new InMemoryNetwork());
  }
}
