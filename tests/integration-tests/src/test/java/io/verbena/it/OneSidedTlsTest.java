package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsOptions;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.testkit.TestIdentity;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One end has TLS and the other has not: both ends say so, and a scanner fills no log. */
class OneSidedTlsTest {
  private static final TestIdentity STORE = TestIdentity.create("CN=store", "ip:127.0.0.1");
  private static final byte[] HELLO = {22, 3, 1, 0, 100, 1, 0, 0, 96, 3, 3};
  private static final String CURE = "give both ends TLS options, or neither";

  private final Logger log = (Logger) LoggerFactory.getLogger("io.verbena");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    ThrottledLog.refill();
    lines.start();
    log.addAppender(lines);
  }

  @AfterEach
  void leave() {
    log.detachAppender(lines);
    ThrottledLog.refill();
  }

  private List<String> warnings() {
    return List.copyOf(lines.list).stream()
        .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static VerbenaServer.Builder server() {
    return VerbenaServer.builder().listen("127.0.0.1:0").serve(HouseRpc.bind(new PlainHouse()));
  }

  private static VerbenaServer serverWithTls() {
    return server().tls(TlsOptions.server(STORE.trusting())).start();
  }

  private static VerbenaClient.Builder clientWithTls() {
    return VerbenaClient.builder().tls(TlsOptions.client(TestIdentity.nobodyTrusting(STORE)));
  }

  private static Socket connect(VerbenaServer server) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
  }

  @Test
  void aClientWithTlsAtAServerWithout() {
    try (VerbenaServer server = server().start();
        VerbenaClient client = clientWithTls().build()) {
      String address = server.address().toString();
      assertThatThrownBy(() -> client.connect(address))
          .hasMessageContaining("may not speak TLS")
          .hasMessageEndingWith("its log says why");
      assertThat(warnings())
          .singleElement()
          .asString()
          .matches("The client at tcp://127\\.0\\.0\\.1:\\d+ speaks TLS, .*")
          .contains("this server at " + address, CURE);
    }
  }

  @Test
  void aClientWithoutTlsAtAServerWithIt() {
    try (VerbenaServer server = serverWithTls();
        VerbenaClient client = VerbenaClient.builder().build()) {
      assertThatThrownBy(() -> client.connect(server.address().toString()))
          .hasMessageContaining("the peer speaks TLS, and this end does not: " + CURE);
      assertThat(warnings())
          .isNotEmpty()
          .allMatch(line -> line.matches(".* tcp://127\\.0\\.0\\.1:\\d+ at tcp://127.*"))
          .allMatch(line -> line.contains("the peer sent plaintext: " + CURE));
    }
  }

  @Test
  void whoOnlyChecksWhetherAPortIsOpenIsNotWorthALine() throws Exception {
    try (VerbenaServer plain = server().start();
        VerbenaServer tls = serverWithTls();
        VerbenaClient client = clientWithTls().build()) {
      for (int i = 0; i < 50; i++) {
        connect(plain).close();
        connect(tls).close();
        Socket reset = connect(tls);
        reset.setSoLinger(true, 0);
        reset.close();
      }
      assertThat(HouseRpc.client(client.connect(tls.address().toString())).add(1)).isEqualTo(2);
      assertThat(warnings()).isEmpty();
    }
  }

  @Test
  void aScannerFillsNoLog() throws Exception {
    byte[] http = "GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    try (VerbenaServer plain = server().start();
        VerbenaServer tls = serverWithTls()) {
      for (int i = 0; i < 100; i++) {
        scan(plain, HELLO);
        scan(plain, http);
        scan(tls, http);
      }
    }
    // In more than ten seconds there may be one more of each.
    assertThat(warnings()).hasSizeBetween(2 * ThrottledLog.AT_ONCE, 3 * ThrottledLog.AT_ONCE);
  }

  private static void scan(VerbenaServer server, byte[] words) throws IOException {
    try (Socket socket = connect(server)) {
      socket.getOutputStream().write(words);
      socket.shutdownOutput();
      long _ = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }
  }
}
