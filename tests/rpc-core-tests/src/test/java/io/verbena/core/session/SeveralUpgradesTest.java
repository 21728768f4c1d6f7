package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two kinds of better links: shared memory first, then RDMA, both played by links in memory. */
class SeveralUpgradesTest {
  private final SteppedWorld world = new SteppedWorld();
  private final InMemoryNetwork fast = new InMemoryNetwork(world.clock(), 16);
  private final InMemoryUpgrade near = new InMemoryUpgrade(fast, "near");
  private final InMemoryUpgrade far = new InMemoryUpgrade(fast, "far");
  private final InMemoryUpgrade serversNear = new InMemoryUpgrade(fast, "near");
  private final InMemoryUpgrade serversFar = new InMemoryUpgrade(fast, "far");

  @AfterEach
  void close() {
    world.close();
  }

  private Session session(UpgradeProvider... servers) {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(servers));
    Session session = world.client(c -> c.upgrades(near, far)).session(world.address());
    call(session);
    world.pass(Duration.ofMillis(500));
    call(session);
    return session;
  }

  private Session session() {
    return session(serversNear, serversFar);
  }

  private void call(Session session) {
    assertThat(world.result(new Probe.Stub(session).submit(Probe.ECHO, "text"))).isEqualTo("text");
  }

  private static URI offer(InMemoryUpgrade kind) {
    return Objects.requireNonNull(kind.lastOffer(), "no offer of this kind");
  }

  private static void assertUpgraded(Session session) {
    assertThat(session.path().reason()).as("nothing keeps it from the better link").isEmpty();
  }

  @Test
  void theFirstKindIsTaken() {
    Session session = session();
    assertUpgraded(session);
    assertThat(serversNear.lastOffer()).isNotNull();
    assertThat(serversFar.lastOffer()).isNull();
  }

  @Test
  void aKindThatDoesNotLeadToThePeerIsLeftOut() {
    near.outOfReach("the peer is on another host");
    Session session = session();
    assertUpgraded(session);
    assertThat(serversNear.lastOffer()).isNull();
    assertThat(serversFar.lastOffer()).isNotNull();
  }

  @Test
  void aKindThatThisHostDoesNotHaveIsLeftOut() {
    near.availability(new Availability.Unavailable("no /dev/shm"));
    Session session = session();
    assertUpgraded(session);
    assertThat(serversFar.lastOffer()).isNotNull();
  }

  @Test
  void aKindThatTheServerDoesNotHaveIsFollowedByTheNext() {
    assertUpgraded(session(serversFar));
    assertThat(serversFar.lastOffer()).isNotNull();
  }

  @Test
  void aKindThatTheServersHostDoesNotHaveIsFollowedByTheNext() {
    serversNear.availability(new Availability.Unavailable("no /dev/shm"));
    assertUpgraded(session());
    assertThat(serversFar.lastOffer()).isNotNull();
  }

  @Test
  void whyEachFailedIsTold() {
    serversNear.availability(new Availability.Unavailable("no /dev/shm"));
    far.availability(new Availability.Unavailable("no verbs device on this host"));
    assertThat(session().path().reason())
        .isEqualTo("on the server: no /dev/shm; no verbs device on this host");
  }

  @Test
  void aKindThatDoesNotLeadThereIsNoReasonWhereAnotherFailed() {
    near.outOfReach("the peer is on another host");
    far.availability(new Availability.Unavailable("no verbs device on this host"));
    assertThat(session().path().reason()).isEqualTo("no verbs device on this host");
  }

  @Test
  void whereNoneLeadsThereThatIsTheReason() {
    near.outOfReach("the peer is on another host");
    far.outOfReach("the peer is on another host, too");
    assertThat(session().path().reason()).isEqualTo("the peer is on another host, too");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theFirstKindIsAskedForAgainWhenItComes(boolean atTheServer) {
    InMemoryUpgrade late = atTheServer ? serversNear : near;
    late.availability(new Availability.Unavailable("no /dev/shm"));
    far.availability(new Availability.Unavailable("no verbs device on this host"));
    Session session = session();
    late.availability(new Availability.Available("/dev/shm"));
    world.pass(Duration.ofSeconds(3));
    call(session);
    assertUpgraded(session);
    assertThat(serversNear.lastOffer()).isNotNull();
  }

  @Test
  void aKindThatIsLostSoonAgainAndAgainIsFollowedByTheNext() {
    Session session = session();
    for (int losses = 1; losses <= 3; losses++) {
      assertThat(serversFar.lastOffer()).as("before loss %d", losses).isNull();
      lose(serversNear, session);
    }
    assertThat(serversFar.lastOffer()).isNotNull();
    world.pass(Duration.ofMinutes(2));
    URI lastNear = offer(serversNear);
    lose(serversFar, session);
    assertThat(offer(serversNear)).as("one that has stood says nothing").isNotEqualTo(lastNear);
  }

  /** Loses the better link, and waits for the next. */
  private void lose(InMemoryUpgrade kind, Session session) {
    fast.drop(offer(kind), "unplugged");
    world.pass(Duration.ofMillis(100));
    assertThat(session.path().reason()).contains(" lost: ");
    world.pass(Duration.ofSeconds(20));
    call(session);
    assertUpgraded(session);
  }

  @Test
  void aLinkThatIsLostIsFollowedByOneOfTheFirstKind() {
    near.availability(new Availability.Unavailable("no /dev/shm"));
    Session session = session();
    near.availability(new Availability.Available("/dev/shm"));
    fast.drop(offer(serversFar), "unplugged");
    world.pass(Duration.ofMillis(100));
    assertThat(session.path().reason()).startsWith("far lost: ");
    world.pass(Duration.ofSeconds(3));
    call(session);
    assertUpgraded(session);
    assertThat(serversNear.lastOffer()).isNotNull();
  }
}
