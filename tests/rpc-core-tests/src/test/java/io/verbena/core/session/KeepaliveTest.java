package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.SessionLimits;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often a peer is asked for a sign of life, and when it is given up: both ends have a say. */
class KeepaliveTest {
  private static final SessionLimits HASTY =
      SessionLimits.DEFAULT.withKeepalive(Duration.ofMillis(10), Duration.ofMillis(20));

  private final SteppedWorld world = new SteppedWorld(HASTY, InMemoryNetwork.DEFAULT_RING_FRAMES);
  private final URI address = URI.create(world.address());

  /** Opens a session from a hasty client to a server with these limits. */
  private Session open(SessionLimits limits) {
    world.server(s -> s.serve(Probe.bind(new Probe.Counting())).limits(limits));
    Session session = world.client().session(world.address());
    call(session);
    return session;
  }

  private void call(Session session) {
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "here");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("here");
  }

  private void silence() {
    world.network().admit(address, Admission.REFUSE);
    world.network().cut(address);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aPeerIsNotGivenUpBeforeItWantsToBeAskedAgain() {
    Session session = open(SessionLimits.DEFAULT.withLeastPingInterval(Duration.ofMillis(500)));
    world.pauseServer(true);
    world.pass(Duration.ofMillis(900));
    assertThat(session.path().link()).isEqualTo("mem");
    world.pauseServer(false);
    call(session);
    silence();
    world.pass(Duration.ofMillis(1_600));
    assertThat(session.path().link()).isEqualTo("none");
  }

  @Test
  void anEndThatMayBeAskedAtAnyTimeIsGivenUpByTheOthersLimits() {
    Session session = open(SessionLimits.DEFAULT.withLeastPingInterval(Duration.ZERO));
    silence();
    world.pass(Duration.ofMillis(40));
    assertThat(session.path().link()).isEqualTo("none");
  }

  @Test
  void deathIsNoticedWithinASecondByDefault() {
    Session session = open(SessionLimits.DEFAULT);
    silence();
    world.pass(Duration.ofMillis(400));
    assertThat(session.path().link()).isEqualTo("none");
  }
}
