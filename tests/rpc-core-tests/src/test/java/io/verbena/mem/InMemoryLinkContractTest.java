package io.verbena.mem;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import org.junit.jupiter.api.DisplayName;

@DisplayName("An in-memory link")
final class InMemoryLinkContractTest extends LinkContract {
  @Override
  protected LinkHarness newHarness() {
    return new InMemoryHarness(new InMemoryNetwork());
  }
}
