package io.verbena.bench.rival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.bench.load.Caller;
import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.LoadLoop;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Mode;
import io.verbena.bench.load.Watcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rivals whose servers are the test's. */
class RivalTest {
  private static final int BYTES = 64;
  private static final int HEAD = 8;
  private static final Load CALL = Load.of(Kind.CALL, BYTES, 1, Duration.ofSeconds(1));
  private static final Load PUT = Load.of(Kind.PUT, BYTES, 1, Duration.ofSeconds(1));

  private final ServerSocket listening = listening();

  private static ServerSocket listening() {
    try {
      return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() throws IOException {
    listening.close();
  }

  /** Answers so many messages with themselves, but for one byte, and closes the connection. */
  private void answers(int times, int wrongByte) {
    Thread.ofVirtual()
        .start(
            () -> {
              try (Socket socket = listening.accept()) {
                socket.getInputStream().readNBytes(HEAD);
                for (int i = 0; i < times; i++) {
                  byte[] message = socket.getInputStream().readNBytes(BYTES);
                  if (wrongByte > 0) {
                    message[wrongByte] ^= 1;
                  }
                  socket.getOutputStream().write(message);
                }
              } catch (IOException e) {
                // the client is gone
              }
            });
  }

  private void run(Rival rival, Load load) throws Exception {
    try (var contestant = new RivalContestant(rival, "127.0.0.1", listening::getLocalPort);
        Caller caller = contestant.connect(load)) {
      LoadLoop.run(load, List.of(caller), Watcher.NONE);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "NETTY"})
  @Timeout(30)
  void failsItsTurnWhenTheServerClosesTheConnection(Rival rival) {
    answers(3, 0);
    assertThatThrownBy(() -> run(rival, CALL.counting(1_000)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a call failed");
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "NETTY"})
  @Timeout(30)
  void failsACallThatIsStartedAfterThat(Rival rival) throws Exception {
    answers(0, 0);
    try (var contestant = new RivalContestant(rival, "127.0.0.1", listening::getLocalPort);
        Caller caller = contestant.connect(CALL)) {
      Thread.sleep(100);
      assertThatThrownBy(() -> LoadLoop.run(CALL.counting(10), List.of(caller), Watcher.NONE))
          .hasMessageContaining("a call failed");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "NETTY"})
  @Timeout(30)
  void comparesEveryByteWhereThatIsAsked(Rival rival) {
    answers(1, 50);
    Load validated =
        new Load(
            Kind.CALL,
            BYTES,
            1,
            1,
            Mode.ASYNC,
            Handler.NONBLOCKING,
            0,
            Duration.ofSeconds(1),
            10,
            Memory.WARM,
            true,
            false);
    assertThatThrownBy(() -> run(rival, validated)).hasMessageContaining("from byte 50");
  }

  @Test
  void takesNoLoadThatItWouldDoInAnotherWay() {
    assertThat(takers(PUT)).contains(Rival.NIO, Rival.GRPC, Rival.PERFTEST);
    assertThat(takers(PUT.with(Memory.COLD))).as("all of them reuse one buffer").isEmpty();
    assertThat(takers(PUT.with(Memory.FILES))).containsExactly(Rival.SENDFILE);
    assertThat(takers(PUT.withSize(512 << 20)))
        .as("gRPC has a limit here")
        .containsExactly(Rival.NIO, Rival.NETTY, Rival.PERFTEST);
    assertThat(takers(PUT.withSize((1 << 30) + 1))).containsExactly(Rival.PERFTEST);
  }

  @Test
  void isNoProgramThatKnowsNoRate() {
    Load paced =
        new Load(
            Kind.CALL,
            BYTES,
            1,
            1,
            Mode.ASYNC,
            Handler.NONBLOCKING,
            100,
            Duration.ofSeconds(1),
            0,
            Memory.WARM,
            false,
            false);
    assertThat(takers(CALL)).contains(Rival.PERFTEST, Rival.NIO);
    assertThat(takers(paced)).contains(Rival.NIO).doesNotContain(Rival.PERFTEST);
  }

  private static List<Rival> takers(Load load) {
    return Stream.of(Rival.values()).filter(rival -> rival.takes(load)).toList();
  }
}
