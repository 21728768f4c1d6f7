package io.verbena.testkit;

import io.verbena.mem.InMemoryNetwork;
import org.junit.jupiter.api.DisplayName;

@DisplayName("An in-memory link")
final class InMemoryLinkContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    return new InMemoryHarness(new InMemoryNetwork());
  }
}
