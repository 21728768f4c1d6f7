package io.verbena.bench.counts;

import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What Verbena itself costs a call over RDMA. {@link #call} is a lone typed call, there and back:
 * one message each way, client and server stepped by one thread, over a device simulated in memory.
 * {@link #verbs} asks of that device what the call's two links ask of it: the same messages through
 * queues of the same depth, as many polls. Half of the difference is Verbena's own, for each side.
 *
 * <p>Included is what a call costs here and not in a program: the last duty cycle of the server's
 * loop, in which nothing is left to do, a look at the in-memory links in every cycle, and binding
 * the handler's scope, which a loop's own thread does once for its life.
 */
final class RdmaCallPath {
  /** Of a fabric that carries a request out while it is posted, as rdma_rxe does. */
  private static final long COMPLETES_AT_ONCE = 2;

  private static final Duration TICK = Duration.ofMillis(1);

  private final byte[] message = new byte[64];
  private final SteppedWorld world = new SteppedWorld().withoutWaits();
  private final NanoClock clock = world.clock();
  private final Fabric fabric = Fabric.stepped(COMPLETES_AT_ONCE, clock::nanoTime);
  private final RepeaterRpc.Async repeater = upgraded();
  private final BareVerbs verbs = new BareVerbs(COMPLETES_AT_ONCE);

  private RepeaterRpc.Async upgraded() {
    Repeater service = message -> message;
    world.server(
        server -> server.serve(RepeaterRpc.bind(service)).upgrades(host("west", "10.9.0.2")));
    var client = world.client(settings -> settings.upgrades(host("east", "10.9.0.1")));
    var session = client.session(world.address());
    RepeaterRpc.Async stub = RepeaterRpc.async(session);
    CompletableFuture<byte[]> first = stub.repeat(message).toCompletableFuture();
    while (!first.isDone() || !session.path().link().equals("rdma")) {
      if (world.step() == 0 && !fabric.step()) {
        world.clock().advance(TICK);
      }
    }
    return stub;
  }

  private RdmaUpgradeProvider host(String name, String address) {
    FabricHost host = fabric.addHost(name, InetAddress.ofLiteral(address));
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, clock);
  }

  /** Connects the bare queue pairs. */
  void connect() throws Exception {
    verbs.connect();
  }

  /** A lone call. */
  byte[] call() {
    CompletableFuture<byte[]> answer = repeater.repeat(message).toCompletableFuture();
    while (!answer.isDone()) {
      world.step();
    }
    return answer.join();
  }

  /** A call's two messages. */
  int verbs() throws IOException {
    return verbs.roundTrip();
  }
}
