package io.verbena.it;

import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.RegionsContract;

/** Regions over TCP. */
class TcpRegionsContractTest extends RegionsContract {
  @Override
  protected VerbenaServer.Builder newServer() {
    return VerbenaServer.builder().listen("127.0.0.1:0");
  }

  @Override
  protected VerbenaClient.Builder newClient() {
    return VerbenaClient.builder();
  }
}
