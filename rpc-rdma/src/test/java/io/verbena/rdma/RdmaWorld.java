package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.UpgradeProvider;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.DeviceProfile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A client in the east and a server in the west of a stepped fabric, each of which takes pushes.
 */
final class RdmaWorld implements AutoCloseable {
  private static final int MOST_STEPS = 5_000_000;

  final SteppedWorld world = new SteppedWorld().withoutWaits();
  final FabricWorld verbs;
  final RdmaUpgradeProvider east;
  final RdmaUpgradeProvider west;
  final VerbenaServer server;
  final VerbenaClient client;
  final Session session;

  /** The server's end of it. */
  final Session accepted;

  private final List<Session> sessions = new ArrayList<>();
  private final Arena arena = Arena.ofShared();
  private int steps;

  RdmaWorld(DeviceProfile profile) {
    this(profile, server -> {}, client -> {});
  }

  /** A world whose two ends may register so much. */
  static RdmaWorld pinning(long bytes) {
    return with(RdmaSettings.DEFAULT.withMaxPinnedBytes(bytes));
  }

  /** A world whose two ends have such links. */
  static RdmaWorld with(RdmaSettings settings) {
    return new RdmaWorld(seed(), DeviceProfile.full(), settings, server -> {}, client -> {});
  }

  private static long seed() {
    return Seed.random("a client and a server over a fabric").nextLong();
  }

  /** A world whose two ends have further settings; its session is open. */
  RdmaWorld(
      DeviceProfile profile,
      Consumer<VerbenaServer.Builder> onServer,
      Consumer<VerbenaClient.Builder> onClient) {
    this(seed(), profile, RdmaSettings.DEFAULT, onServer, onClient);
  }

  /** The same, whose fabric has a seed that the test has told of. */
  RdmaWorld(
      long seed,
      DeviceProfile profile,
      Consumer<VerbenaServer.Builder> onServer,
      Consumer<VerbenaClient.Builder> onClient) {
    this(seed, profile, RdmaSettings.DEFAULT, onServer, onClient);
  }

  /** The same, whose links have other settings. */
  RdmaWorld(
      long seed,
      DeviceProfile profile,
      RdmaSettings settings,
      Consumer<VerbenaServer.Builder> onServer,
      Consumer<VerbenaClient.Builder> onClient) {
    this(seed, profile, settings, onServer, onClient, verbs -> {});
  }

  /** The same, whose hosts are set up before anything is made of them. */
  RdmaWorld(
      long seed,
      DeviceProfile profile,
      RdmaSettings settings,
      Consumer<VerbenaServer.Builder> onServer,
      Consumer<VerbenaClient.Builder> onClient,
      Consumer<FabricWorld> onVerbs) {
    this(seed, profile, settings, onServer, onClient, onVerbs, links -> links);
  }

  /** The same, whose server has its links by others than it would. */
  RdmaWorld(
      long seed,
      DeviceProfile profile,
      RdmaSettings settings,
      Consumer<VerbenaServer.Builder> onServer,
      Consumer<VerbenaClient.Builder> onClient,
      Consumer<FabricWorld> onVerbs,
      UnaryOperator<UpgradeProvider> servers) {
    verbs = new FabricWorld(seed, profile, world.clock());
    onVerbs.accept(verbs);
    east = new RdmaUpgradeProvider(new SteppedVerbs(verbs.east, verbs), settings, world.clock());
    west = new RdmaUpgradeProvider(new SteppedVerbs(verbs.west, verbs), settings, world.clock());
    server =
        world.server(
            s -> {
              s.onSession(this::accept).upgrades(servers.apply(new SteppedUpgrade(west, verbs)));
              onServer.accept(s);
            });
    client =
        world.client(
            s -> {
              s.upgrades(new SteppedUpgrade(east, verbs));
              onClient.accept(s);
            });
    session = client.session(world.address());
    session.objects().onPush(intoPooled());
    push(session, Source.of(new byte[1]));
    accepted = sessions.getFirst();
  }

  private void accept(Session made) {
    sessions.add(made);
    made.objects().onPush(intoPooled());
  }

  private static PushHandler intoPooled() {
    return offer -> Landing.pooled(offer.length());
  }

  /** Waits until calls go by RDMA; returns this. */
  RdmaWorld upgraded() {
    world.runUntil(() -> session.path().link().equals("rdma"));
    return this;
  }

  MemorySegment memory(long bytes) {
    return arena.allocate(bytes, 4096);
  }

  void push(Session from, Source source) {
    whole(from.objects().push("pushed", source));
  }

  void whole(Transfer transfer) {
    world.result(transfer.result()).close();
    world.settle();
  }

  /** Runs one cycle of all, and lets a little time pass; fails a test that never ends. */
  void step() {
    if (++steps > MOST_STEPS) {
      throw new AssertionError("not so within " + MOST_STEPS + " cycles");
    }
    world.step();
    world.runHandlers();
    world.clock().advance(Duration.ofNanos(10_000));
  }

  @Override
  public void close() {
    world.close();
    assertThat(east.pinnedBytes() + west.pinnedBytes()).as("registered bytes left").isZero();
    arena.close();
  }
}
