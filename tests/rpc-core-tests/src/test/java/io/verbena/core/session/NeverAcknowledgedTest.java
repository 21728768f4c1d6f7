package io.verbena.core.session;

import static io.verbena.testkit.RawPeer.frame;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.Probe;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.link.Link;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.memory.Slot;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A peer that lives, and does not acknowledge what it was sent, is ended in time; one that is slow
 * is not.
 */
class NeverAcknowledgedTest {
  /** A peer that is silent is lost after 6 s; this is half a minute more, and what a look takes. */
  private static final Duration TOO_LONG = Duration.ofSeconds(40);

  private static final Duration STEP = Duration.ofMillis(500);

  private final SteppedWorld world = new SteppedWorld();
  private final LinkDriver driver = world.network().newDriver(() -> {});
  private final List<Slow> peers = new ArrayList<>();

  @AfterEach
  void close() {
    driver.close();
    world.close();
  }

  private void server() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())));
  }

  /** A client that says what it is told to, and pings as time passes. */
  private static final class Slow extends ListeningPeer {
    private int acknowledged;
    private boolean stopped;

    void call(int number) {
      send(
          RawPeer.call(
              FrameKind.REQUEST,
              number,
              number,
              100_000_000,
              0,
              out -> {
                out.writeString("text");
              }));
    }

    void ping() {
      byte[] ping = frame(FrameKind.PING, 0, 0, out -> {});
      ByteBuffer.wrap(ping).putInt(8, acknowledged);
      send(ping);
    }

    void resume(SessionKey session) {
      PeerLimits limits = new PeerLimits(1 << 20, 65536, 64);
      Hello hello =
          new Hello(
              FrameHeader.VERSION,
              FrameHeader.VERSION,
              0,
              session,
              acknowledged,
              0,
              limits,
              "",
              List.of(),
              null);
      send(frame(FrameKind.HELLO, 0, 0, hello::write));
    }
  }

  private Slow connect() {
    Slow peer = new Slow();
    LinkOptions options = LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null);
    driver.connect(URI.create(world.address()), options, peer);
    settle();
    peers.add(peer);
    return peer;
  }

  private Slow open() {
    Slow peer = connect();
    peer.sayHello();
    settle();
    return peer;
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      driver.poll();
      world.settle();
    }
  }

  private void pass(Duration time) {
    for (long left = time.toMillis(); left > 0; left -= STEP.toMillis()) {
      peers.stream().filter(peer -> !peer.stopped).forEach(Slow::ping);
      world.passIdle(STEP, () -> {});
      settle();
    }
  }

  @Test
  void aPeerThatLivesAndAcknowledgesNothingIsEndedAndToldWhy() {
    server();
    Slow peer = open();
    peer.call(1);
    settle();
    assertThat(peer.heard).contains(FrameKind.RESULT);
    pass(Duration.ofSeconds(34));
    assertThat(peer.closed).isNull();
    pass(TOO_LONG.minusSeconds(34));
    assertThat(peer.closed).isNotNull();
    Slow again = connect();
    again.resume(peer.key());
    settle();
    assertThat(again.heard).containsExactly(FrameKind.REFUSED);
    assertThat(again.texts).contains("has acknowledged nothing for");
  }

  @Test
  void aPeerThatOwesNothingMayBeIdle() {
    server();
    Slow peer = open();
    peer.call(1);
    settle();
    peer.acknowledged = 1;
    pass(TOO_LONG.multipliedBy(2));
    assertThat(peer.closed).isNull();
  }

  @Test
  void aPeerThatAcknowledgesOneOfManyEachHalfMinuteIsSlowAndGoesOn() {
    server();
    Slow peer = open();
    for (int i = 1; i <= 4; i++) {
      peer.call(i);
    }
    for (int i = 1; i <= 3; i++) {
      pass(Duration.ofSeconds(30));
      peer.acknowledged = i;
    }
    pass(Duration.ofSeconds(30));
    assertThat(peer.closed).isNull();
    pass(TOO_LONG.minusSeconds(30));
    assertThat(peer.closed).isNotNull();
  }

  @Test
  void aPeerThatIsStoppedAgainAndAgainGoesOn() {
    server();
    Slow peer = open();
    for (int i = 1; i <= 10; i++) {
      peer.call(i);
      peer.stopped = true;
      pass(Duration.ofSeconds(5));
      peer.stopped = false;
      peer.acknowledged = i;
      pass(STEP);
    }
    assertThat(peer.closed).isNull();
  }

  /** Each resuming begins a new link, and with it no new time. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void norMayItResumeAgainAndAgain(int seconds) {
    server();
    Slow peer = open();
    SessionKey session = peer.key();
    peer.call(1);
    settle();
    for (int i = 0; i < TOO_LONG.toSeconds(); i += seconds) {
      pass(Duration.ofSeconds(seconds));
      peer = connect();
      peer.resume(session);
      settle();
    }
    assertThat(peer.heard).containsExactly(FrameKind.REFUSED);
    assertThat(peer.texts).contains("has acknowledged nothing for");
  }

  @Test
  void aPeerThatIsAwayForAWhileComesBackToAllOfIt() {
    server();
    Slow peer = open();
    peer.call(1);
    settle();
    pass(Duration.ofSeconds(30));
    Objects.requireNonNull(peer.link).close();
    pass(Duration.ofSeconds(4));
    Slow again = connect();
    again.resume(peer.key());
    settle();
    assertThat(again.heard).contains(FrameKind.WELCOME, FrameKind.RESULT);
    again.acknowledged = 1;
    pass(TOO_LONG);
    assertThat(again.closed).isNull();
  }

  /** Replies wait for its word on what it had received by the better link that is lost. */
  @Test
  void aPeerThatDoesNotSettleAfterALossIsEnded() {
    Lingering lingering = new Lingering();
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).upgrades(lingering));
    Slow peer = connect();
    peer.sayHelloAndAskForUpgrade();
    settle();
    lingering.end();
    peer.call(1);
    settle();
    assertThat(peer.heard).contains(FrameKind.SETTLE).doesNotContain(FrameKind.RESULT);
    pass(Duration.ofSeconds(34));
    assertThat(peer.closed).isNull();
    pass(TOO_LONG.minusSeconds(34));
    assertThat(peer.closed).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ofTwoThatResumeOneSessionAtOnceTheLaterHasIt(boolean authenticated) {
    Lingering lingering = new Lingering();
    world.server(
        s -> {
          s.serve(Probe.bind(new Probe.Plain())).upgrades(lingering);
          if (authenticated) {
            s.authenticator(shown -> "somebody");
          }
        });
    Slow peer = connect();
    peer.sayHelloAndAskForUpgrade();
    settle();
    Slow first = connect();
    Slow second = connect();
    first.resume(peer.key());
    settle();
    second.resume(peer.key());
    settle();
    assertThat(peer.closed).isNotNull();
    assertThat(first.closed).isNotNull();
    assertThat(second.heard).isEmpty();
    lingering.end();
    settle();
    assertThat(first.heard).isEmpty();
    assertThat(second.heard).contains(FrameKind.WELCOME);
    second.call(1);
    settle();
    assertThat(second.heard).contains(FrameKind.RESULT);
    assertThat(second.closed).isNull();
  }

  /**
   * Better links at the server, each open as soon as it is offered, and closed when a test says.
   */
  private static final class Lingering implements UpgradeProvider, UpgradeDriver, Link {
    private LinkDriver.@Nullable ConnectHandler awaiting;
    private @Nullable LinkListener listener;

    void end() {
      Objects.requireNonNull(listener).onClosed("by the test");
    }

    @Override
    public String kind() {
      return "lingering";
    }

    @Override
    public Availability availability() {
      return new Availability.Available("here");
    }

    @Override
    public UpgradeDriver newDriver(Runnable wakeLoop) {
      return this;
    }

    @Override
    public int poll(long nowNanos) {
      LinkDriver.ConnectHandler opens = awaiting;
      if (opens == null) {
        return 0;
      }
      awaiting = null;
      listener = opens.onConnected(this);
      return 1;
    }

    @Override
    public boolean isInUse() {
      return listener != null;
    }

    @Override
    public boolean armWakeup(long nowNanos) {
      return true;
    }

    @Override
    public byte[] request(URI peer, LinkOptions options) {
      return new byte[0];
    }

    @Override
    public byte[] offer(
        byte[] request, URI localAddress, LinkOptions options, LinkDriver.ConnectHandler handler) {
      awaiting = handler;
      return new byte[0];
    }

    @Override
    public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {}

    @Override
    public LinkCapabilities capabilities() {
      return new LinkCapabilities("lingering", "", 65536, false);
    }

    @Override
    public String localAddress() {
      return "mem://lingering";
    }

    @Override
    public String peerAddress() {
      return "mem://lingering";
    }

    @Override
    public SendResult send(Slot slot) {
      return SendResult.SENT;
    }

    @Override
    public Map<String, Long> figures() {
      return Map.of();
    }

    @Override
    public void flush() {}

    @Override
    public void setReceiving(boolean receiving) {}

    @Override
    public void listener(LinkListener next) {
      listener = next;
    }

    @Override
    public void close() {}

    @Override
    public void close(Runnable meanwhile) {}

    @Override
    public void abort(String reason) {}
  }
}
