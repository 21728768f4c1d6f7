package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.Probe;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server greets each client properly, and breaks every session soon afterwards. */
class BreakingServerTest {
  private static final Duration DEADLINE = Duration.ofSeconds(15);
  private static final LinkOptions OPTIONS = LinkOptions.of(65536, Duration.ofSeconds(5), null);

  private final SteppedWorld world = new SteppedWorld();
  private final URI address = URI.create(world.address());
  private final Session session = world.client().session(world.address());
  private final LinkDriver driver = world.network().newDriver(() -> {});
  private int connections;

  private enum Fault {
    SENDS_GARBAGE("protocol error"),
    CLOSES("its connection was lost"),
    COUNTS_WRONG("frame numbers of the session are impossible");

    final String words;

    Fault(String words) {
      this.words = words;
    }
  }

  /** The server's end of one connection. */
  private final class Breaking extends RawPeer {
    private final Fault fault;

    Breaking(Fault fault) {
      this.fault = fault;
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      super.onFrame(buffer, from, to);
      Link open = link;
      if (heard.getLast() == FrameKind.HELLO) {
        connections++;
        int epoch = FrameHeader.about(FrameHeader.second(buffer, from));
        reply(frame(FrameKind.WELCOME, 0, 0, welcome()::write), epoch);
        if (fault == Fault.SENDS_GARBAGE) {
          reply(frame(FrameKind.SCHEMA, 1, 0, out -> out.writeLong(-1)), epoch);
        } else if (fault == Fault.CLOSES && open != null) {
          open.abort("closed on purpose");
        }
      }
    }

    private void reply(byte[] frame, int epoch) {
      frame[3] = (byte) epoch;
      send(frame);
    }

    private Welcome welcome() {
      return new Welcome(
          FrameHeader.VERSION,
          0,
          new SessionKey(1, 2, 3),
          fault == Fault.COUNTS_WRONG ? 77 : 0,
          new PeerLimits(1 << 20, 65536, 64),
          List.of(OfferedService.of(Probe.service("another contract"), 0)));
    }
  }

  @AfterEach
  void end() {
    driver.close();
    world.close();
  }

  private CompletableFuture<String> call(Duration deadline) {
    return new Probe.Stub(session, CallOptions.timeout(deadline)).submit(Probe.ECHO, "hello?");
  }

  private void listen(Fault fault) throws LinkException {
    driver.listen(address, OPTIONS, link -> new Breaking(fault).onConnected(link));
  }

  private void runUntilDone(CompletableFuture<String> call) {
    world.runUntil(
        () -> {
          driver.poll();
          return call.isDone();
        });
  }

  @ParameterizedTest
  @EnumSource
  void clientsWaitLongerFromOneSessionToTheNextAndTheCallNamesTheFault(Fault fault)
      throws LinkException {
    listen(fault);
    CompletableFuture<String> call = call(DEADLINE);
    runUntilDone(call);
    assertThat(connections).isBetween(10, 60);
    assertThat(call.exceptionNow()).isInstanceOf(RpcException.class);
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure)
        .hasMessageContaining(DEADLINE.toMillis() + " ms")
        .hasMessageContaining(fault.words);
  }

  @Test
  void callsThatFollowOneAnotherWaitAsLong() throws LinkException {
    listen(Fault.SENDS_GARBAGE);
    long end = world.clock().nanoTime() + DEADLINE.toNanos();
    while (world.clock().nanoTime() - end < 0) {
      runUntilDone(call(Duration.ofMillis(50)));
    }
    assertThat(connections).isBetween(10, 60);
  }

  @Test
  void anHonestSuccessorIsFoundWithinASecond() throws LinkException {
    listen(Fault.SENDS_GARBAGE);
    CompletableFuture<String> call = call(DEADLINE);
    for (int i = 0; i < 5_000; i++) {
      driver.poll();
      world.pass(Duration.ofMillis(1));
    }
    assertThat(call).isNotDone();
    driver.close();
    world.server(settings -> settings.serve(Probe.bind(new Probe.Plain())));
    world.pass(Duration.ofMillis(1_050));
    assertThat(call).isCompletedWithValue("hello?");
  }
}
