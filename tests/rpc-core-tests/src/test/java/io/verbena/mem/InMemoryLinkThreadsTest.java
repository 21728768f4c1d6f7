package io.verbena.testkit;

import io.verbena.mem.InMemoryNetwork;

final class InMemoryLinkThreadsTest extends LinkThreadsContract {
  @Override
  protected LinkHarness newHarness() {
    return new InMemoryHarness(new InMemoryNetwork());
  }
}
