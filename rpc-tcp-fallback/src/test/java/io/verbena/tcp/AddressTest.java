package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.SteppedLinks;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A TCP address")
final class AddressTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(1000, Duration.ofSeconds(10), null);

  private LinkDriver driver;

  @SuppressWarnings("NullAway.Init") // by open
  AddressTest() {}

  @BeforeEach
  void open() {
    driver = new TcpLinkProvider(Transport.best()).newDriver(() -> {});
  }

  @AfterEach
  void close() {
    driver.close();
  }

  private LinkDriver.Listening listen(String address) throws LinkException {
    return driver.listen(URI.create(address), OPTIONS, _ -> new RecordingListener());
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "[::1]", "localhost", "0.0.0.0", "[::]"})
  void mayBeLiteralOrANameOrAll(String host) throws LinkException {
    var harness = new TcpHarness(Transport.best(), null, null, 0);
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      LinkDriver.Listening listening = listen("tcp://" + host + ":0");
      assertThat(listening.address().getHost()).isEqualTo(host);
      URI to = URI.create("tcp://" + reachable(host) + ":" + listening.address().getPort());
      var outcome = links.startConnecting(to, OPTIONS);
      links.stepUntil(
          "the link",
          () -> {
            driver.poll();
            return outcome.isKnown();
          });
      assertThat(outcome.end().link().peerAddress()).isEqualTo(to.toString());
    }
  }

  private static String reachable(String host) {
    return switch (host) {
      case "0.0.0.0" -> "127.0.0.1";
      case "[::]" -> "[::1]";
      default -> host;
    };
  }

  @Test
  void thatIsTakenIsNamedWithTheCure() throws LinkException {
    URI taken = listen("tcp://127.0.0.1:0").address();
    assertThatThrownBy(() -> listen(taken.toString()))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("cannot listen on " + taken)
        .hasMessageContaining("ss -ltnp sport = :" + taken.getPort());
  }

  @Test
  void ofNoInterfaceIsNamedWithTheCure() {
    // TEST-NET-1, which nobody has (RFC 5737).
    assertThatThrownBy(() -> listen("tcp://192.0.2.1:0"))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("192.0.2.1")
        .hasMessageContaining("no interface of this machine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-such-host.invalid", "no_such_host.invalid"})
  void ofAnUnknownHostIsNamedWithTheCure(String host) {
    assertThatThrownBy(() -> listen("tcp://" + host + ":0"))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("'" + host + "' is unknown");
  }

  @Test
  void ofAnUnknownHostFailsTheAttemptToConnect() throws LinkException {
    var harness = new TcpHarness(Transport.best(), null, null, 0);
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      var outcome = links.connect(URI.create("tcp://no-such-host.invalid:7400"));
      assertThat(outcome.failure()).hasMessageContaining("'no-such-host.invalid' is unknown");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"tcp:host", "tcp://host", "tcp://:7400", "tcp://host:70000", "tcp://::1:74"})
  void withoutHostOrPortIsRefused(String address) {
    assertThatThrownBy(() -> listen(address))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining(address)
        .hasMessageContaining("tcp://HOST:PORT");
  }
}
