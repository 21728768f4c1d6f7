package io.verbena.mem;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.RegionsContract;

/** Regions over the in-memory link. */
class InMemoryRegionsContractTest extends RegionsContract {
  @Override
  protected VerbenaServer.Builder newServer() {
    return VerbenaServer.builder().listen("mem://regions");
  }

  @Override
  protected VerbenaClient.Builder newClient() {
    return VerbenaClient.builder();
  }
}
