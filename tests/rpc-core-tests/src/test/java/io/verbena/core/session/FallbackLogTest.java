package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.Probe;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** That calls do without a better link is no secret, and no flood. */
class FallbackLogTest {
  private static final Logger VERBENA = (Logger) LoggerFactory.getLogger("io.verbena");
  private static final int MANY = 20;

  private final SteppedWorld world = new SteppedWorld();
  private final InMemoryNetwork fast = new InMemoryNetwork(world.clock(), 16);
  private final InMemoryUpgrade upgrade = new InMemoryUpgrade(fast);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();

  @BeforeEach
  void listen() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(upgrade));
    told.start();
    VERBENA.addAppender(told);
    VERBENA.setAdditive(false);
    VERBENA.setLevel(Level.INFO);
    ThrottledLog.refill();
  }

  @AfterEach
  void close() {
    VERBENA.detachAppender(told);
    VERBENA.setAdditive(true);
    VERBENA.setLevel(null);
    world.close();
  }

  private Session open() {
    return open(PathPolicy.PREFER_RDMA);
  }

  private Session open(PathPolicy policy) {
    Session session = world.client(c -> c.upgrades(upgrade).path(policy)).session(world.address());
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "text");
    world.runUntil(call::isDone);
    world.passHeadStart();
    return session;
  }

  private List<String> lines() {
    List<String> lines = told.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    told.list.clear();
    return lines;
  }

  private static long counted(String what) {
    return ThrottledLog.counts().getOrDefault(what, 0L);
  }

  @Test
  void aWayBackIsToldByBothEndsThatWentIt() {
    Session session = open();
    assertThat(session.path().reason()).as("upgraded").isEmpty();
    assertThat(lines()).isEmpty();
    fast.drop(Objects.requireNonNull(upgrade.lastOffer()), "cable pulled");
    world.settle();
    assertThat(lines())
        .hasSize(2)
        .allMatch(line -> line.contains("went back to its first link: mem lost: "))
        .anyMatch(line -> line.endsWith("cable pulled"));
  }

  @Test
  void manyWaysBackAreFewLinesAndAllCounted() {
    long before = counted("sessions that went back from a better link");
    for (int i = 0; i < MANY; i++) {
      Session session = open();
      fast.drop(Objects.requireNonNull(upgrade.lastOffer()), "cable pulled");
      world.settle();
      session.close();
      world.settle();
    }
    assertThat(lines()).hasSizeLessThanOrEqualTo(ThrottledLog.AT_ONCE + 5);
    assertThat(counted("sessions that went back from a better link") - before).isEqualTo(2 * MANY);
  }

  @Test
  void thatNoBetterLinkCanBeHadIsToldOnceForEachReason() {
    long before = counted("attempts at a better link that failed");
    List<Session> sessions = new ArrayList<>();
    for (String reason : List.of("the cable is in the other room", "the switch is on fire")) {
      upgrade.availability(new Availability.Unavailable(reason));
      for (int i = 0; i < MANY; i++) {
        sessions.add(open());
      }
      assertThat(lines()).singleElement().asString().endsWith("stays on its first link: " + reason);
    }
    world.pass(Duration.ofSeconds(4)); // each tries again and again
    assertThat(lines()).isEmpty();
    assertThat(counted("attempts at a better link that failed") - before)
        .isGreaterThan(2L * sessions.size());
  }

  @Test
  void thatTheServerHasNoneIsToldByBothEnds() {
    InMemoryUpgrade none = new InMemoryUpgrade(fast);
    none.availability(new Availability.Unavailable("its cable is too short"));
    try (SteppedWorld other = new SteppedWorld()) {
      other.server(s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(none));
      Session session = other.client(c -> c.upgrades(upgrade)).session(other.address());
      CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "text");
      other.runUntil(call::isDone);
      other.passHeadStart();
    }
    assertThat(lines())
        .hasSize(2)
        .anyMatch(line -> line.endsWith("stays on its first link: its cable is too short"))
        .anyMatch(line -> line.endsWith(": on the server: its cable is too short"));
  }

  @Test
  void aServerWithOtherKindsSaysThatItsClientMayAskForThem() {
    InMemoryUpgrade none = new InMemoryUpgrade(fast, "near");
    none.availability(new Availability.Unavailable("its cable is far too short"));
    InMemoryUpgrade near = new InMemoryUpgrade(fast, "near");
    InMemoryUpgrade far = new InMemoryUpgrade(fast, "far");
    try (SteppedWorld other = new SteppedWorld()) {
      other.server(s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(none, far));
      Session session = other.client(c -> c.upgrades(near, far)).session(other.address());
      CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "text");
      other.runUntil(call::isDone);
      other.pass(Duration.ofSeconds(1));
      assertThat(session.path().reason()).as("upgraded").isEmpty();
    }
    assertThat(lines())
        .singleElement()
        .asString()
        .endsWith("its cable is far too short (its client may request another kind of link)");
  }

  @Test
  void whoWantsNoBetterLinkIsToldNothing() {
    open(PathPolicy.TCP_ONLY);
    world.client(c -> {}).session(world.address());
    world.settle();
    assertThat(lines()).isEmpty();
  }

  @Test
  void sessionsThatComeAndGoInOrderAreNoNews() {
    for (int i = 0; i < MANY; i++) {
      Session session = open();
      assertThat(session.path().reason()).as("upgraded").isEmpty();
      session.close();
      world.settle();
    }
    assertThat(lines()).isEmpty();
  }
}
