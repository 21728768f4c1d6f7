package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.nio.NioIoHandler;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.SteppedLinks;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The system's reasons are in the machine's language, and mean the same in each. */
class LanguageTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(1000, Duration.ofSeconds(10), null);

  /** A socket whose failures are told in German. */
  private static final class German extends NioSockets.Socket {
    private final boolean unreachable;

    German(boolean unreachable) {
      this.unreachable = unreachable;
    }

    private Exception translated() {
      return unreachable
          ? new NoRouteToHostException("Keine Route zum Zielrechner")
          : new ConnectException("Verbindungsaufbau abgelehnt");
    }

    @Override
    protected boolean doConnect(SocketAddress to, SocketAddress from) throws Exception {
      try {
        return super.doConnect(to, from);
      } catch (ConnectException e) {
        throw translated();
      }
    }

    @Override
    protected void doFinishConnect() throws Exception {
      throw translated();
    }
  }

  private static LinkException failureOf(boolean unreachable) throws LinkException {
    Transport transport =
        new Transport(
            "nio",
            "for the test",
            NioIoHandler::newFactory,
            () -> new German(unreachable),
            NioSockets.ServerSocket::new);
    TcpHarness harness = new TcpHarness(transport, null, null, 0);
    try (SteppedLinks links = new SteppedLinks(harness, OPTIONS, OPTIONS)) {
      var outcome = links.startConnecting(harness.nobodyListens(), OPTIONS);
      links.stepUntil("the failure", outcome::isKnown);
      return outcome.failure();
    }
  }

  @Test
  void thatNobodyListensIsToldByTheType() throws LinkException {
    LinkException failure = failureOf(false);
    assertThat(failure.nobodyListens()).isTrue();
    assertThat(failure).hasMessageContaining("nothing listens on that port");
  }

  @Test
  void soIsThatTheMachineCannotBeReached() throws LinkException {
    LinkException failure = failureOf(true);
    assertThat(failure.nobodyListens()).isFalse();
    assertThat(failure)
        .hasMessageContaining("cannot be reached (Keine Route zum Zielrechner")
        .hasMessageContaining("check the address");
  }
}
