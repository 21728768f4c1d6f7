package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionPath;
import io.verbena.api.SessionState;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Both ends are told what becomes of a session. */
class SessionListenerTest {
  private final SteppedWorld world = new SteppedWorld();
  private final Told atServer = new Told();
  private final Told atClient = new Told();
  private final Probe.Plain probe = new Probe.Plain();

  /** Writes down what it is told. */
  private static final class Told implements SessionListener {
    final List<String> events = new ArrayList<>();
    final List<Session> sessions = new ArrayList<>();

    private void add(Session session, String event) {
      events.add(event);
      sessions.add(session);
    }

    List<String> take() {
      List<String> taken = List.copyOf(events);
      events.clear();
      return taken;
    }

    @Override
    public void opened(Session session) {
      add(session, "opened");
    }

    @Override
    public void pathChanged(Session session, SessionPath path) {
      add(session, "path " + path.link());
    }

    @Override
    public void lost(Session session, String reason) {
      add(session, "lost: " + reason);
    }

    @Override
    public void resumed(Session session) {
      add(session, "resumed");
    }

    @Override
    public void draining(Session session, String reason) {
      add(session, "draining: " + reason);
    }

    @Override
    public void ended(Session session, RpcStatus status, String reason) {
      add(session, "ended " + status + ": " + reason);
    }
  }

  private VerbenaServer serve() {
    return world.server(s -> s.serve(Probe.bind(probe)).sessionListener(atServer));
  }

  private Session session() {
    return world.client(c -> c.sessionListener(atClient)).session(world.address());
  }

  private void call(Session session) {
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "text");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("text");
    world.settle();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void thatItOpensIsLostResumesAndEnds() {
    serve();
    Session session = session();
    assertThat(session.state()).isEqualTo(SessionState.IDLE);
    call(session);
    assertThat(session.state()).isEqualTo(SessionState.OPEN);
    world.network().drop(URI.create(world.address()), "cable pulled");
    world.step();
    assertThat(session.state()).isEqualTo(SessionState.RESUMING);
    world.pass(Duration.ofSeconds(1));
    assertThat(session.state()).isEqualTo(SessionState.OPEN);
    session.close();
    world.settle();
    assertThat(session.state()).isEqualTo(SessionState.ENDED);
    assertThat(atClient.take())
        .containsExactly(
            "opened",
            "lost: cable pulled",
            "resumed",
            "ended CANCELLED: the session was closed on this side");
    assertThat(atServer.take())
        .containsExactly(
            "opened",
            "lost: cable pulled",
            "resumed",
            "ended UNAVAILABLE: the peer closed the session");
    assertThat(atServer.sessions).containsOnly(atServer.sessions.getFirst());
    assertThat(atServer.sessions.getFirst().state()).isEqualTo(SessionState.ENDED);
  }

  @Test
  void aServerLearnsOfAClientThatStaysAway() {
    serve();
    call(session());
    world.network().admit(URI.create(world.address()), InMemoryNetwork.Admission.REFUSE);
    world.network().drop(URI.create(world.address()), "unplugged");
    world.pass(Duration.ofSeconds(6));
    assertThat(atServer.take())
        .containsExactly(
            "opened", "lost: unplugged", "ended UNAVAILABLE: the client is gone: unplugged");
  }

  @Test
  void aClientThatKeepsItsSessionsOpenLearnsOfTheServerThatReplacesItsOwn() {
    VerbenaServer first = serve();
    Session session =
        world.client(c -> c.keepOpen().sessionListener(atClient)).session(world.address());
    world.settle();
    assertThat(atClient.take()).containsExactly("opened");
    first.close();
    world.settle();
    assertThat(atClient.take()).containsExactly("ended UNAVAILABLE: the peer closed the session");
    assertThat(session.state()).isEqualTo(SessionState.IDLE);
    world.pass(Duration.ofSeconds(3));
    serve();
    world.pass(Duration.ofSeconds(2)); // attempts are a second apart at most
    assertThat(atClient.take()).containsExactly("opened");
    session.close();
    world.pass(Duration.ofSeconds(3));
    assertThat(session.state()).isEqualTo(SessionState.ENDED);
  }

  @Test
  void aPeerThatShutsDown() {
    VerbenaServer server = serve();
    call(session());
    server.drain();
    world.settle();
    server.close();
    world.settle();
    assertThat(atClient.take())
        .containsExactly(
            "opened",
            "draining: the server is shutting down",
            "ended UNAVAILABLE: the server has shut down: call again what it left unanswered, if"
                + " that may run twice");
  }

  @Test
  void thatThePathChanges() {
    InMemoryUpgrade upgrade = new InMemoryUpgrade(new InMemoryNetwork(world.clock(), 16));
    world.server(s -> s.serve(Probe.bind(probe)).upgrades(upgrade).sessionListener(atServer));
    Session session =
        world.client(c -> c.upgrades(upgrade).sessionListener(atClient)).session(world.address());
    call(session);
    world.pass(Duration.ofMillis(30));
    assertThat(atClient.take()).startsWith("opened").endsWith("path mem").hasSize(2);
    assertThat(atServer.take()).startsWith("opened").endsWith("path mem").hasSize(2);
    assertThat(Objects.requireNonNull(upgrade.lastOffer())).isNotNull();
  }

  @Test
  void whoListensLateHearsHowItStands() {
    serve();
    Session session = session();
    Told early = new Told();
    session.listen(early);
    world.settle();
    assertThat(early.take()).isEmpty();
    call(session);
    assertThat(early.take()).containsExactly("opened");
    Told late = new Told();
    session.listen(late);
    world.settle();
    assertThat(late.take()).containsExactly("opened");
    session.close();
    world.settle();
    Told tooLate = new Told();
    session.listen(tooLate);
    world.settle();
    assertThat(tooLate.take())
        .containsExactly("ended CANCELLED: the session was closed on this side");
    assertThat(early.events).isEqualTo(late.events).hasSize(1);
  }

  @Test
  void oneThatThrowsIsToldOfTheNextEventAndHarmsNobody() {
    serve();
    Told after = new Told();
    Session session =
        world
            .client(
                c ->
                    c.sessionListener(
                            new SessionListener() {
                              @Override
                              public void opened(Session opened) {
                                atClient.opened(opened);
                                throw new AssertionError("a listener's own mistake");
                              }

                              @Override
                              public void ended(Session ended, RpcStatus status, String reason) {
                                atClient.ended(ended, status, reason);
                              }
                            })
                        .sessionListener(after))
            .session(world.address());
    call(session);
    session.close();
    world.settle();
    assertThat(atClient.take()).hasSize(2);
    assertThat(after.take()).hasSize(2);
  }
}
