package io.verbena.shm;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.RegionsContract;

/** Regions by shared memory, which reaches them by calls. */
class ShmRegionsContractTest extends RegionsContract {
  @Override
  protected VerbenaServer.Builder newServer() {
    return VerbenaServer.builder().listen("127.0.0.1:0");
  }

  @Override
  protected VerbenaClient.Builder newClient() {
    return VerbenaClient.builder();
  }

  @Override
  protected void settle(Session session) {
    SessionOverShmTest.awaitShm(session);
  }
}
