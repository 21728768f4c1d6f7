package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
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

/** The last acknowledgement of a server that leaves says which calls it has not taken. */
class GoodbyeTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(65536, Duration.ofSeconds(5), null);

  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final LinkDriver driver = world.network().newDriver(() -> {});

  /** A server that leaves at the second call, which crosses its GOODBYE. */
  private static final class Leaving extends RawPeer {
    private final int acknowledged;
    private int epoch;
    private int calls;

    Leaving(int acknowledged) {
      this.acknowledged = acknowledged;
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      super.onFrame(buffer, from, to);
      if (heard.getLast() == FrameKind.HELLO) {
        epoch = FrameHeader.about(FrameHeader.second(buffer, from));
        Welcome welcome =
            new Welcome(
                FrameHeader.VERSION,
                0,
                new SessionKey(1, 2, 3),
                0,
                new PeerLimits(1 << 20, 65536, 64),
                List.of(OfferedService.of(Probe.service("string"), 0)));
        reply(frame(FrameKind.WELCOME, 0, 0, welcome::write));
      } else if (heard.getLast() == FrameKind.REQUEST && ++calls == 2) {
        byte[] goodbye = frame(FrameKind.GOODBYE, 0, 0, out -> {});
        ByteBuffer.wrap(goodbye).putInt(8, acknowledged);
        reply(goodbye);
      }
    }

    private void reply(byte[] frame) {
      frame[3] = (byte) epoch;
      send(frame);
    }
  }

  @AfterEach
  void end() {
    driver.close();
    world.close();
  }

  private CompletableFuture<String> call() {
    return new Probe.Stub(session).submit(Probe.ECHO, "hello?");
  }

  private RpcException failure(CompletableFuture<String> call) {
    world.runUntil(
        () -> {
          driver.poll();
          return call.isDone();
        });
    return (RpcException) call.exceptionNow();
  }

  private List<CompletableFuture<String>> callsOf(int acknowledged) throws LinkException {
    driver.listen(
        URI.create(world.address()), OPTIONS, link -> new Leaving(acknowledged).onConnected(link));
    return List.of(call(), call());
  }

  @Test
  void aCallThatTheServerDidNotTakeWasNotExecuted() throws LinkException {
    List<CompletableFuture<String>> calls = callsOf(1);

    RpcException taken = failure(calls.getFirst());
    assertThat(taken.phase()).isEqualTo(CallPhase.RECEIVED);
    assertThat(taken.execution()).isEqualTo(Execution.UNKNOWN);
    RpcException late = failure(calls.getLast());
    assertThat(late.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(late.phase()).isEqualTo(CallPhase.SENT);
    assertThat(late.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(late.mayRetry()).isTrue();
  }

  @Test
  void noneWasExecutedIfTheServerTookNone() throws LinkException {
    for (CompletableFuture<String> call : callsOf(0)) {
      assertThat(failure(call).execution()).isEqualTo(Execution.NOT_EXECUTED);
    }
  }
}
