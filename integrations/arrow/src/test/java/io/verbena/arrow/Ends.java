package io.verbena.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** A client and a server, on TCP or on simulated RDMA devices, with an allocator each. */
final class Ends implements AutoCloseable {
  static final Duration LONG = Duration.ofSeconds(40);

  final BufferAllocator here = new RootAllocator();
  final BufferAllocator there = new RootAllocator();
  private final Fabric fabric = Fabric.threaded(17);
  private final CompletableFuture<Session> taken = new CompletableFuture<>();
  final VerbenaServer server;
  final VerbenaClient client;
  final Session session;

  /** The session as the server has it. */
  final Session accepted;

  /**
   * Opens a session.
   *
   * @param keeper makes what is served, of the server's allocator and the session as it has it
   */
  Ends(boolean rdma, BiFunction<BufferAllocator, CompletableFuture<Session>, Warehouse> keeper) {
    VerbenaServer.Builder serving = VerbenaServer.builder().listen("127.0.0.1:0");
    VerbenaClient.Builder using = VerbenaClient.builder();
    if (rdma) {
      serving.upgrades(device("west", "10.9.0.2"));
      using.upgrades(device("east", "10.9.0.1"));
    }
    server =
        serving
            .serve(WarehouseRpc.bind(keeper.apply(there, taken)))
            .onSession(taken::complete)
            .start();
    client = using.build();
    session = client.connect(server.address().toString());
    String link = rdma ? "rdma" : "tcp";
    await().atMost(LONG).untilAsserted(() -> assertThat(session.path().link()).isEqualTo(link));
    accepted = taken.join();
  }

  private RdmaUpgradeProvider device(String name, String address) {
    FabricHost host = fabric.addHost(name, InetAddress.ofLiteral(address));
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  /** Ends both ends, and looks for memory that nobody has freed. */
  @Override
  public void close() {
    session.close();
    client.close();
    server.close();
    fabric.close();
    await()
        .atMost(LONG)
        .untilAsserted(
            () -> {
              assertThat(here.getAllocatedMemory()).as("at the client").isZero();
              assertThat(there.getAllocatedMemory()).as("at the server").isZero();
            });
    here.close();
    there.close();
  }
}
