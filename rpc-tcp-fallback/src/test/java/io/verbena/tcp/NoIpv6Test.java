package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.RecordingListener;
import io.verbena.testkit.SteppedLinks;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A JVM without IPv6 is given addresses of IPv6. */
final class NoIpv6Test {
  private static final LinkOptions OPTIONS = LinkOptions.of(1000, Duration.ofSeconds(10), null);

  @Test
  void itsFailuresSaySoAndNameTheCure() throws Exception {
    JavaProcess.Ended run = QuietTest.run(Program.class, "-Djava.net.preferIPv4Stack=true");
    assertThat(run.errors()).isEmpty();
    assertThat(run.out().lines())
        .hasSize(4)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .contains("this JVM has no IPv6")
                    .contains("without -Djava.net.preferIPv4Stack=true")
                    .contains("IPv4 address")
                    .doesNotContain("null", "stop the program", "no interface", "firewall"));
  }

  /** Listens on addresses of IPv6, and connects to one. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws LinkException {
      try (SteppedLinks links =
          new SteppedLinks(new TcpHarness(Transport.best(), null, null, 0), OPTIONS, OPTIONS)) {
        System.out.println(links.connect(URI.create("tcp://[::1]:7")).failure().getMessage());
      }
      try (var driver = new TcpLinkProvider(Transport.best()).newDriver(() -> {})) {
        for (String host : new String[] {"[::]", "[::1]", "[2001:db8::1]"}) {
          try {
            driver.listen(
                URI.create("tcp://" + host + ":0"), OPTIONS, _ -> new RecordingListener());
          } catch (LinkException e) {
            System.out.println(e.getMessage());
          }
        }
      }
    }
  }
}
