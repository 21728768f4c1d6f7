package io.verbena.core.session;

import static io.verbena.testkit.RawPeer.frame;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.PathPolicy;
import io.verbena.core.Probe;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.InMemoryUpgrade;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server that is there and shows signs of life, and does not say whether it has a better link.
 */
class UnansweredUpgradeTest {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration FIRST_DELAY = Duration.ofSeconds(1);

  /** A first call without an answer delays the first request for so long. */
  private static final Duration HEAD_START = Duration.ofMillis(200);

  private static final Duration TICK = Duration.ofMillis(1);

  /** The epoch of the first link is 1. */
  private static final int FIRST_REQUEST = 2;

  private final SteppedWorld world = new SteppedWorld();
  private final InMemoryUpgrade upgrade =
      new InMemoryUpgrade(new InMemoryNetwork(world.clock(), 16));
  private final LinkDriver driver = world.network().newDriver(() -> {});
  private final SilentServer server = new SilentServer();

  private static final class SilentServer extends RawPeer {
    private long sent;

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      super.onFrame(buffer, from, to);
      if (heard.getLast() == FrameKind.HELLO) {
        Welcome welcome =
            new Welcome(
                FrameHeader.VERSION,
                0,
                new SessionKey(1, 2, 3),
                0,
                new PeerLimits(1 << 20, 65536, 64),
                List.of(OfferedService.of(Probe.service("string"), 0)));
        send(frame(FrameKind.WELCOME, 0, 0, welcome::write));
      } else if (heard.getLast() == FrameKind.PING) {
        send(frame(FrameKind.PONG, 0, 0, out -> {}));
      }
    }

    int requests() {
      return Collections.frequency(heard, FrameKind.UPGRADE_REQUEST);
    }

    void decline(int epoch, String why) {
      send(
          frame(
              FrameKind.UPGRADE_DECLINED,
              ++sent,
              0,
              out -> {
                out.writeInt(epoch);
                out.writeBytes(why.getBytes(StandardCharsets.UTF_8));
              }));
    }
  }

  @BeforeEach
  void listen() throws LinkException {
    driver.listen(
        URI.create(world.address()),
        LinkOptions.of(64 * 1024, CONNECT_TIMEOUT, null),
        server::onConnected);
  }

  @AfterEach
  void close() {
    world.close();
  }

  private Session session(PathPolicy policy) {
    return world
        .client(c -> c.upgrades(upgrade).path(policy).connectTimeout(CONNECT_TIMEOUT))
        .session(world.address());
  }

  private static CompletableFuture<String> call(Session session) {
    CallOptions patient = CallOptions.timeout(Duration.ofHours(1));
    return new Probe.Stub(session, patient).submit(Probe.ECHO, "text");
  }

  private void pass(Duration time) {
    for (long left = time.toNanos(); left > 0; left -= TICK.toNanos()) {
      driver.poll();
      world.pass(TICK);
    }
    driver.poll();
    world.settle();
  }

  @Test
  void isAskedAgainAfterAWhileAndThePathSaysWhy() {
    Session session = session(PathPolicy.PREFER_RDMA);
    CompletableFuture<String> call = call(session);
    pass(HEAD_START.dividedBy(2));
    assertThat(server.requests()).as("the first call goes first").isZero();
    pass(HEAD_START);
    assertThat(server.requests()).isEqualTo(1);
    pass(CONNECT_TIMEOUT.dividedBy(2));
    assertThat(session.path().reason()).contains("not upgraded yet");
    pass(
        CONNECT_TIMEOUT.dividedBy(2).minus(HEAD_START.dividedBy(2)).plus(FIRST_DELAY.dividedBy(4)));
    assertThat(session.path().reason())
        .contains("the server did not answer the request within 2000 ms");
    assertThat(server.requests()).as("each delay is half of it at least").isEqualTo(1);
    pass(FIRST_DELAY);
    assertThat(server.requests()).isEqualTo(2);
    pass(CONNECT_TIMEOUT.plus(FIRST_DELAY.dividedBy(8)));
    assertThat(server.requests()).as("the next delay is longer").isEqualTo(2);
    pass(FIRST_DELAY.multipliedBy(2));
    assertThat(server.requests()).isEqualTo(3);
    assertThat(server.closed).as("the session goes on").isNull();
    assertThat(call).isNotDone();
  }

  @Test
  void failsTheCallsThatRequireTheBetterPath() {
    CompletableFuture<String> call = call(session(PathPolicy.REQUIRE_RDMA));
    pass(CONNECT_TIMEOUT.dividedBy(2));
    assertThat(call).isNotDone();
    pass(CONNECT_TIMEOUT);
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(failure)
        .hasMessageContaining("RDMA is required")
        .hasMessageContaining("the server did not answer");
  }

  @Test
  void isNotHeardWhenItAnswersTooLateButInTheNextAttempt() {
    Session session = session(PathPolicy.PREFER_RDMA);
    call(session);
    pass(HEAD_START.plus(CONNECT_TIMEOUT).plus(FIRST_DELAY.dividedBy(2)));
    server.decline(FIRST_REQUEST, "too late");
    pass(FIRST_DELAY);
    assertThat(session.path().reason()).contains("did not answer");
    assertThat(server.requests()).isEqualTo(2);
    server.decline(FIRST_REQUEST + 1, "in time");
    pass(TICK);
    assertThat(session.path().reason()).contains("in time");
  }
}
