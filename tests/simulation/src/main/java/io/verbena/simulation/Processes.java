package io.verbena.simulation;

import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.core.VerbenaServer;
import io.verbena.simulation.check.DeviceWatch;
import io.verbena.simulation.check.UpgradeWatch;
import io.verbena.simulation.contract.GuideRpc;
import io.verbena.simulation.contract.StockRpc;
import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.world.HostSettings;
import io.verbena.simulation.world.SimHost;
import io.verbena.simulation.world.SimWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** The current servers, clients and sessions. */
final class Processes {
  private static final int BUFFER_BYTES = 256 << 10;

  private final RunContext run;
  private final Moves moves;
  private final Streams streams;
  private final Reaches reaches;
  private final Map<String, SimHost> servers = new HashMap<>();
  private final List<SimHost> clients = new ArrayList<>();

  /** The watches by the addresses of clients. */
  private final Map<String, UpgradeWatch> upgradeWatches = new HashMap<>();

  private final List<SimSession> sessions = new ArrayList<>();
  private int starting;
  private int incarnations;

  Processes(RunContext run, Moves moves, Streams streams, Reaches reaches) {
    this.run = run;
    this.moves = moves;
    this.streams = streams;
    this.reaches = reaches;
  }

  /** Starts all processes of the plan. */
  void start() {
    Plan plan = run.plan;
    run.world.network().chunkBytes(plan.chunkBytes());
    for (int i = 0; i < plan.servers().size(); i++) {
      startServer("server" + i, plan.servers().get(i));
    }
    for (int i = 0; i < plan.clients().size(); i++) {
      clients.add(startClient(i));
    }
    for (int i = 0; i < plan.sessions().size(); i++) {
      sessions.add(openSession(i));
    }
  }

  List<SimSession> sessions() {
    return sessions;
  }

  SimHost lastClient() {
    return clients.getLast();
  }

  /** Returns the number of processes that will replace others. */
  int starting() {
    return starting;
  }

  private SimHost startClient(int number) {
    SimHost client = run.world.startClient("client" + number, run.plan.clients().get(number));
    watch(client);
    UpgradeWatch upgrades = new UpgradeWatch(run.journal, run.agenda::now, client.name());
    upgradeWatches.put(client.net().address(), upgrades);
    client.watchUpgrades(peer -> upgrades.asks(peer.getHost(), sessions(client, peer.getHost())));
    run.scheduler.watch(
        () -> {
          upgrades.idle(idle(client));
          return client.hasEnded();
        });
    servers.values().forEach(server -> lay(client, server));
    return client;
  }

  private int sessions(SimHost client, String address) {
    Predicate<SimSession> between =
        session ->
            session.client() == client && host(session.server()).net().address().equals(address);
    return (int) sessions.stream().filter(between).count();
  }

  private long idle(SimHost client) {
    long idle = 0;
    for (int i = 0; i < sessions.size(); i++) {
      SimSession session = sessions.get(i);
      if (session.client() == client && session.session().state() == SessionState.IDLE) {
        idle |= 1L << i;
      }
    }
    return idle;
  }

  private SimSession openSession(int number) {
    Plan.Between between = run.plan.sessions().get(number);
    SimHost client = clients.get(between.client());
    String server = "server" + between.server();
    Session session = Objects.requireNonNull(client.client()).session(server + ":" + SimWorld.PORT);
    if (!run.plan.hasCallers()) {
      session.serve(GuideRpc.bind(new GuideHandler(run.journal, streams, client)));
      session.objects().onPush(new Moves.Taker(moves, client));
    }
    // The address identifies the client's current process.
    String name = "session%d %s(%s)-%s".formatted(number, client, client.net().address(), server);
    return new SimSession(name, client, server, session, WorksRpc.async(session));
  }

  private void opened(Session session, SimHost server) {
    String client = URI.create(session.peer().address()).getHost();
    Objects.requireNonNull(upgradeWatches.get(client), client).opened();
    if (!run.journal.isExempt(session.peer())) {
      session.objects().onPush(new Moves.Taker(moves, server));
    }
  }

  private void watch(SimHost host) {
    host.fabric()
        .watch(new DeviceWatch(run.journal, host.name(), run.plan.behaviours(), run.emptyRefused));
  }

  private void lay(SimHost client, SimHost server) {
    run.world
        .line(client, server)
        .normal(
            Duration.ofNanos(run.plan.latencyNanos()),
            Duration.ofNanos(run.plan.latencyNanos() / 3),
            run.plan.rate(),
            BUFFER_BYTES);
  }

  private void startServer(String name, HostSettings settings) {
    SimHost[] host = new SimHost[1];
    String incarnation = name + "#" + ++incarnations;
    WorksHandler handler = new WorksHandler(run, moves, streams, () -> host[0], incarnation);
    host[0] =
        run.world.startServer(
            name,
            settings,
            builder -> {
              builder.serve(WorksRpc.bind(handler)).onSession(session -> opened(session, host[0]));
              if (run.plan.hasRegions()) {
                builder.serve(StockRpc.bind(reaches.stock(() -> host[0])));
              }
            });
    watch(host[0]);
    servers.put(name, host[0]);
    clients.forEach(client -> lay(client, host[0]));
  }

  /** Returns the host of a server's current process. */
  SimHost host(String name) {
    SimHost host = servers.get(name);
    if (host == null) {
      throw new IllegalStateException("no server " + name);
    }
    return host;
  }

  /** Returns a session by its index, from its client's current process. */
  SimSession session(int place) {
    return sessions.get(place);
  }

  /** Kills a client's process, and starts another one with the same sessions. */
  void restartClient(SimHost old) {
    int number = clients.indexOf(old);
    processIsGone(old);
    run.world.kill(old);
    clients.set(number, startClient(number));
    for (int i = 0; i < sessions.size(); i++) {
      if (run.plan.sessions().get(i).client() == number) {
        sessions.set(i, openSession(i));
      }
    }
  }

  /** Kills a server's process, and starts another one later. */
  void restartServer(String name, long after) {
    SimHost old = host(name);
    if (!old.hasEnded()) {
      restartServer(name, old, after);
    }
  }

  private void restartServer(String name, SimHost old, long after) {
    if (host(name) != old) {
      return; // another process has replaced it
    }
    processIsGone(old);
    run.world.kill(old);
    startAgain(name, after);
  }

  /** Records the end of a process before its threads unwind, so that those are not checked. */
  private void processIsGone(SimHost old) {
    run.journal.processIsGone(old);
    run.streams.processIsGone(old);
    run.regions.processIsGone(old);
  }

  private void startAgain(String name, long after) {
    starting++;
    run.later(
        after,
        () -> {
          starting--;
          run.trace.say(() -> "%s is started again".formatted(name));
          startServer(name, host(name).settingsOfNext());
        });
  }

  /** Shuts a server down in order, and starts another one later. */
  void drainServer(String name, long after) {
    SimHost old = host(name);
    VerbenaServer server = old.server();
    if (server == null || old.hasEnded()) {
      return;
    }
    starting++;
    boolean[] ends = new boolean[1];
    CompletionStage<Void> _ = server.drain().thenRun(() -> ends[0] = true);
    run.scheduler.watch(
        () -> {
          if (ends[0]) {
            run.journal.processEnds(old);
            run.world.end(old);
            ends[0] = false;
          }
          boolean gone = old.hasEnded();
          if (gone) {
            starting--;
            restartServer(name, old, after);
          }
          return gone;
        });
  }
}
