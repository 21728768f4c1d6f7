package io.verbena.bench.counts;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.bench.load.Messages;
import io.verbena.bench.verbena.Route;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.link.LinkProvider;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.tcp.TcpLinkProvider;
import io.verbena.testkit.ManualClock;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client and a server with one session, stepped by one thread on a clock that stands still while
 * there is something to do. So the same operations cost the same in every run, but over TCP, where
 * the kernel decides what arrives together. What is sent for the sake of time alone, such as pings,
 * is not counted. It is no {@link io.verbena.testkit.SteppedWorld}: that runs what both ends hand
 * over in one queue, and here each end does its own, which is counted as its heap and its waits.
 */
final class World implements AutoCloseable {
  /** Of a fabric that carries a request out while it is posted, as rdma_rxe does. */
  private static final long COMPLETES_AT_ONCE = 2;

  private static final Duration TICK = Duration.ofMillis(1);
  private static final Duration LEASE = Duration.ofDays(1);

  /** A socket may tell a moment later what was written at its other end. */
  private static final int IDLE_STEPS_ON_TCP = 200;

  private static final long SHARED_BYTES = 1L << 30;
  private static final int MOST_IDLE = 100_000;
  private static final TransferOptions PLAIN = TransferOptions.DEFAULT.withoutChecksum();

  private final Route route;
  private final ManualClock manual = new ManualClock();
  private final @Nullable Fabric fabric;
  private final @Nullable FabricHost east;
  private final @Nullable FabricHost west;
  private final Turns turns = new Turns();
  private final List<Opening> openings = new ArrayList<>();
  private final End client;
  private final End server;
  private final VerbenaClient verbenaClient;
  private final VerbenaServer verbenaServer;
  private final @Nullable Relay relay;
  private final Servant servant = new Servant();
  private final Session session;
  private final Counted blocking;
  private final CountedRpc.Async async;
  private final Arena arena = Arena.ofShared();
  private final Map<Integer, MemorySegment> memory = new HashMap<>();
  private final Map<Integer, ObjectRef> objects = new HashMap<>();
  private final Map<Integer, byte[]> messages = new HashMap<>();
  private int ended;
  private @Nullable Throwable failure;

  /**
   * A world, whose session is open.
   *
   * @param polls whether loops look for work all the time; otherwise they wait when there is none
   */
  World(Route route, boolean polls) throws IOException {
    this(route, polls, DeviceProfile.full());
  }

  /** The same, whose two devices are of a kind. */
  World(Route route, boolean polls, DeviceProfile device) throws IOException {
    this.route = route;
    boolean tcp = route == Route.TCP;
    boolean waits = !polls && !tcp; // in a socket's wait the other end could not be stepped
    LinkProvider links =
        tcp
            ? new TcpLinkProvider()
            : new InMemoryNetwork(
                manual,
                InMemoryNetwork.DEFAULT_RING_FRAMES,
                InMemoryNetwork.DEFAULT_CHUNK_BYTES,
                _ -> {});
    client = new End("client", manual, links, waits, turns);
    server = new End("server", manual, links, waits, turns);
    VerbenaClient.Builder here =
        VerbenaClient.builder()
            .steppedBy(List.of(client.loop()), client.elsewhere(), Thread::startVirtualThread);
    VerbenaServer.Builder there =
        VerbenaServer.builder()
            .steppedBy(List.of(server.loop()), server.elsewhere(), Thread::startVirtualThread)
            .random(new Random(1));
    if (route == Route.RDMA) {
      fabric = Fabric.stepped(COMPLETES_AT_ONCE, manual::nanoTime);
      east = fabric.addHost("east", device, InetAddress.ofLiteral("10.9.0.1"));
      west = fabric.addHost("west", device, InetAddress.ofLiteral("10.9.0.2"));
      here.upgrades(upgrades(east, client));
      there.upgrades(upgrades(west, server));
    } else {
      here.path(PathPolicy.TCP_ONLY); // also where there is a device
      fabric = null;
      east = null;
      west = null;
    }
    // Set, and not measured or a part of the heap: so all machines are alike.
    here.largeValueBytes(CutOffs.BESIDE_UNMEASURED).pinCutOffBytes(1);
    there.largeValueBytes(CutOffs.BESIDE_UNMEASURED).pinCutOffBytes(1);
    here.maxAssemblyBytes(SHARED_BYTES).maxReplyBytes(SHARED_BYTES);
    there.maxAssemblyBytes(SHARED_BYTES).maxReplyBytes(SHARED_BYTES);
    verbenaClient = here.handlers(client.elsewhere()).build();
    verbenaServer =
        there
            .handlers(server.elsewhere())
            .listen(tcp ? "127.0.0.1:0" : "mem://server")
            .serve(CountedRpc.bind(servant))
            .onSession(made -> made.objects().onPush(servant))
            .start();
    relay = tcp ? new Relay(verbenaServer.address().getPort()) : null;
    session = verbenaClient.session(relay == null ? "mem://server" : "127.0.0.1:" + relay.port());
    blocking = CountedRpc.client(session);
    async = CountedRpc.async(session);
    open();
  }

  private void open() {
    client.execute(() -> begin(StandardLoad.CALL));
    runUntil(() -> ended == 1);
    settle();
    if (route == Route.RDMA) {
      runUntil(this::isOnRdma);
      openings.add(opening("on RDMA"));
    }
    settle();
  }

  boolean isOnRdma() {
    return session.path().link().equals("rdma");
  }

  /** Lets time pass until the session, whose link a device may have ended, is on RDMA again. */
  void untilOnRdma() {
    runUntil(this::isOnRdma);
    settle();
  }

  private Opening opening(String until) {
    return new Opening(route, until, turns.count(), ofClient(), ofServer());
  }

  private TalliedUpgrades upgrades(FabricHost host, End end) {
    return new TalliedUpgrades(
        new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, manual), end.tally());
  }

  /** Returns what opening the session has cost. */
  List<Opening> openings() {
    return openings;
  }

  /** Returns what one more round of a load costs, which does all of its operations. */
  Counts count(StandardLoad load) {
    EndCounts clientBefore = ofClient();
    EndCounts serverBefore = ofServer();
    for (int done = 0; done < load.operations(); done += load.together()) {
      perform(load);
    }
    return new Counts(
        load,
        route,
        load.operations(),
        ofClient().since(clientBefore),
        ofServer().since(serverBefore));
  }

  private EndCounts ofClient() {
    return counts(client, east, relay == null ? 0 : relay.fromClient());
  }

  private EndCounts ofServer() {
    return counts(server, west, relay == null ? 0 : relay.fromServer());
  }

  private static EndCounts counts(End end, @Nullable FabricHost host, long relayed) {
    LinkTally tally = end.tally();
    var verbs = host == null ? null : host.counts();
    long bytes = verbs != null ? verbs.bytes() : relayed > 0 ? relayed : tally.bytes();
    return new EndCounts(tally.frames(), tally.writes(), bytes, verbs, end.allocated());
  }

  /** Does as many operations as are begun together, until nothing is left to do of them. */
  private void perform(StandardLoad load) {
    int before = ended;
    int droppedBefore = servant.dropped();
    client.execute(() -> begin(load));
    runUntil(
        () ->
            load.kind() == StandardLoad.Kind.ONEWAY
                ? servant.dropped() - droppedBefore == load.together()
                : ended - before == load.together());
    settle();
  }

  private void begin(StandardLoad load) {
    int size = load.size();
    for (int i = 0; i < load.together(); i++) {
      switch (load.kind()) {
        case CALL -> end(async.echo(message(size)));
        case VALUE -> end(async.take(message(size)));
        case ONEWAY -> blocking.drop(message(size));
        case PUT -> end(session.objects().push("put", Source.of(memory(size)), PLAIN).result());
        case FETCH ->
            end(
                session
                    .objects()
                    .fetch(object(size), Landing.of(memory(size)), PLAIN)
                    .result()
                    .thenAccept(received -> received.close()));
      }
    }
  }

  private void end(CompletionStage<?> operation) {
    operation.whenComplete(
        (result, thrown) -> {
          if (openings.isEmpty()) {
            openings.add(opening("first answer"));
          }
          ended++;
          if (thrown != null) {
            failure = thrown;
          }
        });
  }

  private byte[] message(int size) {
    return messages.computeIfAbsent(size, Messages::of);
  }

  private MemorySegment memory(int size) {
    return memory.computeIfAbsent(size, key -> arena.allocate(key, 4096));
  }

  private ObjectRef object(int size) {
    return objects.computeIfAbsent(
        size, key -> verbenaServer.publish(Source.of(arena.allocate(key, 4096)), LEASE).ref());
  }

  private boolean step() {
    boolean busy = client.step();
    busy |= server.step();
    while (fabric != null && fabric.step()) {
      busy = true;
    }
    if (relay != null) {
      busy |= relay.step();
    }
    return busy;
  }

  /** Steps until nothing is left to do at this moment of the clock. */
  private void settle() {
    for (int idle = 0; idle < enough(); idle = step() ? 0 : idle + 1) {}
  }

  /** Returns after how many steps in which nothing was done nothing is left to do. */
  private int enough() {
    return relay == null ? 2 : IDLE_STEPS_ON_TCP;
  }

  /** Steps, letting time pass where nothing is left to do, until a condition holds. */
  private void runUntil(BooleanSupplier condition) {
    for (int idle = 0; !condition.getAsBoolean(); idle = step() ? 0 : idle + 1) {
      if (failure != null || idle > MOST_IDLE) {
        throw new IllegalStateException("an operation over " + route + " does not end", failure);
      }
      if (idle > 0 && idle % enough() == 0) {
        manual.advance(TICK);
        client.wake();
        server.wake();
      }
    }
  }

  @Override
  public void close() throws IOException {
    client.loop().onClose();
    server.loop().onClose();
    verbenaClient.close();
    verbenaServer.close();
    if (relay != null) {
      relay.close();
    }
    arena.close();
  }
}
