package io.verbena.core.session;

import io.verbena.testkit.callers.SteppingCallersContract;

/** Blocking callers over links in memory. */
class InMemorySteppingCallersTest extends SteppingCallersContract {
  @Override
  protected String address() {
    return "mem://pilot:0";
  }
}
