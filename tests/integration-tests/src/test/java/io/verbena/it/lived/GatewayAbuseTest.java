package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.core.VerbenaServer;
import io.verbena.http.HttpGateway;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.abuse.Abuser;
import io.verbena.testkit.abuse.HttpAbuse;
import io.verbena.testkit.abuse.VictimRpc;
import io.verbena.testkit.abuse.VictimService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Abuse by clients of HTTP, on a small heap: others are served in time. */
@Tag("long")
@Timeout(180)
class GatewayAbuseTest {
  private static final String HEAP = System.getProperty("verbena.abuse.heap", "128m");
  private static final int TIMES = Integer.getInteger("verbena.abuse.times", 1);

  /** Of the server's processors, until it has answered, whatever else the machine does. */
  private static final Duration IN_TIME = Duration.ofSeconds(20);

  /** Until its socket has said anything. */
  private static final Duration EVER = Duration.ofSeconds(60);

  private static final Duration A_WHILE = Duration.ofSeconds(4);
  private static final int LARGE = 100_000;

  @ParameterizedTest
  @EnumSource(HttpAbuse.class)
  void othersAreServedInTime(HttpAbuse abuse) throws Exception {
    try (JavaProcess server = JavaProcess.start(List.of("-Xmx" + HEAP), Program.class)) {
      InetSocketAddress at =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(server.line()));
      echoes(server, at, Duration.ofMillis(500));
      try (Abuser abuser = abuse.start(at, TIMES * abuse.usual())) {
        await().atMost(Duration.ofSeconds(40)).until(abuser::isInEffect);
        echoes(server, at, A_WHILE);
      }
      assertThat(server.process().isAlive()).isTrue();
      await()
          .atMost(Duration.ofSeconds(40))
          .until(() -> post(at, "large", "[%d]".formatted(LARGE)).contains(" 200 "));
      echoes(server, at, Duration.ofMillis(500));
    }
  }

  /** Calls again and again; each call is answered in time. */
  private static void echoes(JavaProcess server, InetSocketAddress at, Duration time)
      throws IOException {
    long until = System.nanoTime() + time.toNanos();
    do {
      Duration before = server.processorTime();
      String answer = post(at, "next", "[6]");
      assertThat(server.processorTime().minus(before)).isLessThan(IN_TIME);
      assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n7\n");
    } while (System.nanoTime() - until < 0);
  }

  private static String post(InetSocketAddress at, String method, String body) throws IOException {
    try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
      socket.setSoTimeout((int) EVER.toMillis());
      String request =
          "POST /victim.v1/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(method, body.length(), body);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The server. */
  static final class Program {
    public static void main(String[] arguments) throws Exception {
      VerbenaServer server =
          VerbenaServer.builder()
              .listen("127.0.0.1:0")
              .gateway(new HttpGateway())
              .serve(VictimRpc.bind(new VictimService()))
              .start();
      System.out.println(server.address().getPort());
      JavaProcess.endWithParent();
      Runtime.getRuntime().halt(0);
    }
  }
}
