package io.verbena.testkit;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;

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
