package io.verbena.mem;

import io.verbena.testkit.BulkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Bulk on an in-memory link")
final class InMemoryBulkContractTest extends BulkContract {
  @Override
  protected LinkHarness newHarness() {
    return new InMemoryHarness(new InMemoryNetwork());
  }
}
