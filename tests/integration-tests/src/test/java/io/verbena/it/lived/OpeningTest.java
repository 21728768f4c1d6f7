package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.abuse.ThrottledProxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions with servers that say nothing, or whose first connections are reset. */
@Timeout(30)
final class OpeningTest {
  @Test
  void aServerThatTakesConnectionsAndSaysNothingIsNamed() throws Exception {
    Duration timeout = Duration.ofMillis(600);
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        VerbenaClient client = VerbenaClient.builder().connectTimeout(timeout).build()) {
      String address = "127.0.0.1:" + silent.getLocalPort();
      long start = System.nanoTime();
      assertThatThrownBy(() -> client.connect(address))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining(address)
          .hasMessageContaining("did not answer");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void aResetInTheHandshakeIsTriedAgain() throws Exception {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(PatientRpc.bind(new Patient.Plain()))
                .drainTime(Duration.ZERO) // the session's end may be lost with the line
                .start();
        ThrottledProxy line = new ThrottledProxy(server.address(), 100_000_000);
        VerbenaClient client = VerbenaClient.builder().build()) {
      line.resetNext(1);
      try (Session session = client.connect(line.address())) {
        assertThat(PatientRpc.client(session).ping(7)).isEqualTo(7);
      }
      assertThat(line.connections()).isEqualTo(2);
    }
  }
}
