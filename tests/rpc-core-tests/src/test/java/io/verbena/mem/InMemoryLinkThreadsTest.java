package io.verbena.mem;

import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.LinkThreadsContract;

final class InMemoryLinkThreadsTest extends LinkThreadsContract {
  @Override
  protected LinkHarness newHarness() {
    return new InMemoryHarness(new InMemoryNetwork());
  }
}
