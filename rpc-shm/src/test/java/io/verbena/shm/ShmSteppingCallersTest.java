package io.verbena.shm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.Session;
import io.verbena.testkit.callers.SteppingCallersContract;

/** Blocking callers over shared memory. */
class ShmSteppingCallersTest extends SteppingCallersContract {
  @Override
  protected String address() {
    return "127.0.0.1:0";
  }

  /** If other processes use the processors, the loop's own thread finds each reply first. */
  @Override
  protected void mustStep(boolean stepped) {
    assumeTrue(stepped, "the machine is too busy for callers to get the loop");
  }

  @Override
  protected void ready(Session session) {
    SessionOverShmTest.awaitShm(session);
  }
}
