package io.verbena.core.session;

import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.link.UpgradeProvider;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A session that upgrades, either of whose links a test takes away. */
abstract class TwoLinks {
  SteppedWorld world;
  InMemoryNetwork fast;
  InMemoryUpgrade upgrade;
  URI first;
  Session session;

  private final Probe.Counting probe = new Probe.Counting();
  final Map<String, Integer> executions = probe.executions;

  /** The server's ends of sessions. */
  final List<Session> accepted = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // by start
  TwoLinks() {}

  @BeforeEach
  void start() {
    world = new SteppedWorld();
    fast = new InMemoryNetwork(world.clock(), 16);
    upgrade = new InMemoryUpgrade(fast);
    first = URI.create(world.address());
    world.server(s -> s.serve(Probe.bind(probe)).upgrades(upgrade).onSession(accepted::add));
    session = world.client(c -> c.upgrades(clients(upgrade))).session(world.address());
  }

  /** Returns the client's better links, which are those of both ends unless a test says else. */
  UpgradeProvider clients(UpgradeProvider both) {
    return both;
  }

  @AfterEach
  void close() {
    world.close();
  }

  URI fastLink() {
    return Objects.requireNonNull(upgrade.lastOffer());
  }

  void refuse() {
    world.network().admit(first, Admission.REFUSE);
  }

  void accept() {
    world.network().admit(first, Admission.ACCEPT);
  }
}
