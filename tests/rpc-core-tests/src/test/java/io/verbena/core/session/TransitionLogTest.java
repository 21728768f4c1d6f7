package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Each end of a session tells of each change of path in one line. */
class TransitionLogTest {
  private static final Logger SESSIONS = logger("io.verbena.core.session");

  /** Of lines that are told beside them: why a path is what it is, and by whom it was asked for. */
  private static final List<String> NO_TRANSITION =
      List.of(
          "settling over",
          "stays as it is",
          "stays on its first link",
          "went back to its first link",
          "No session with",
          " opened with ",
          " resumed with ");

  private static final Logger CORE = logger("io.verbena.core.session.SessionImpl");

  private final SteppedWorld world = new SteppedWorld();
  private final InMemoryNetwork fast = new InMemoryNetwork(world.clock(), 16);
  private final InMemoryUpgrade upgrade = new InMemoryUpgrade(fast);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private final Level levelOfCore = CORE.getLevel();

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }

  @BeforeEach
  void upgraded() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(upgrade));
    Session session = world.client(c -> c.upgrades(upgrade)).session(world.address());
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "text");
    world.runUntil(call::isDone);
    world.passHeadStart();
    assertThat(session.path().reason()).isEmpty();
    ThrottledLog.refill();
    told.start();
    SESSIONS.addAppender(told);
    SESSIONS.setAdditive(false);
    SESSIONS.setLevel(Level.DEBUG);
    CORE.setLevel(Level.DEBUG);
  }

  @AfterEach
  void close() {
    SESSIONS.detachAppender(told);
    SESSIONS.setAdditive(true);
    SESSIONS.setLevel(null);
    CORE.setLevel(levelOfCore);
    world.close();
  }

  private List<String> told() {
    List<String> lines =
        told.list.stream()
            .map(ILoggingEvent::getFormattedMessage)
            .filter(line -> NO_TRANSITION.stream().noneMatch(line::contains))
            .toList();
    told.list.clear();
    return lines;
  }

  @Test
  void thatItOpens() {
    Session session = world.client().session(world.address());
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "text");
    world.runUntil(call::isDone);
    assertThat(told())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains(" opened, over mem").doesNotContain("none"));
  }

  @Test
  void theLossOfTheBetterLinkAndTheReturnToIt() {
    fast.drop(Objects.requireNonNull(upgrade.lastOffer()), "cable pulled");
    world.settle();
    assertThat(told())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("now goes over").contains("mem lost: "));
    world.pass(Duration.ofSeconds(2));
    assertThat(told())
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains("now goes over")
                    .doesNotContain("now goes over mem (mem lost"));
  }

  @Test
  void theLossOfTheFirstLinkAndItsReplacement() {
    world.network().drop(URI.create(world.address()), "timed out by a firewall");
    world.pass(Duration.ofSeconds(1));
    List<String> lines = told();
    assertThat(lines).hasSize(3);
    assertThat(lines).filteredOn(line -> line.contains("has lost its first link")).hasSize(2);
    assertThat(lines).filteredOn(line -> line.contains("has a first link")).hasSize(1);
  }

  private List<String> toldOfServer() {
    List<String> lines =
        told.list.stream()
            .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
            .map(event -> event.getLevel() + " " + event.getFormattedMessage())
            .filter(line -> line.contains("The server at"))
            .toList();
    told.list.clear();
    return lines;
  }

  @Test
  void aClientTellsOnceThatItsServerIsGoneAndOnceThatOneIsThereAgain() {
    Session session = world.client().session(world.address());
    CompletableFuture<String> first = new Probe.Stub(session).submit(Probe.ECHO, "text");
    world.runUntil(first::isDone);
    assertThat(toldOfServer()).isEmpty();
    world.network().admit(URI.create(world.address()), InMemoryNetwork.Admission.NOBODY_LISTENS);
    world.network().drop(URI.create(world.address()), "its process was killed");
    fast.drop(Objects.requireNonNull(upgrade.lastOffer()), "its process was killed");
    world.pass(Duration.ofSeconds(3));
    assertThat(toldOfServer())
        .hasSize(2) // by each session
        .allMatch(
            line ->
                line.startsWith(
                    "WARN The server at mem://server is lost: nothing listens at mem://server"));
    world.network().admit(URI.create(world.address()), InMemoryNetwork.Admission.ACCEPT);
    CompletableFuture<String> next = new Probe.Stub(session).submit(Probe.ECHO, "text");
    world.runUntil(next::isDone);
    assertThat(toldOfServer()).containsExactly("INFO The server at mem://server is there again");
  }

  @Test
  void theLossOfAllLinks() {
    fast.drop(Objects.requireNonNull(upgrade.lastOffer()), "cable pulled");
    world.settle();
    told();
    world.network().drop(URI.create(world.address()), "cable pulled too");
    world.settle();
    assertThat(told()).filteredOn(line -> line.contains("lost its link")).hasSize(1);
  }
}
