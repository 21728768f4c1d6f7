package io.verbena.channel.zookeeper;

import io.verbena.channel.town.ShopRpc;
import io.verbena.core.VerbenaServer;

/** A registered shop in a process of its own. */
final class ShopProcess {
  private ShopProcess() {}

  public static void main(String[] args) throws InterruptedException {
    VerbenaServer server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(ShopRpc.bind(text -> "process"))
            .closeOnShutdown()
            .start();
    ZooKeeperRegistration.builder(server, args[0]).register();
    server.awaitClose();
  }
}
