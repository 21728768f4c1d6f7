package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelException;
import io.netty.channel.socket.SocketChannel;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.SteppedLinks;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The message of an attempt that this machine itself prevents. */
@DisplayName("An attempt to connect over TCP")
final class RefusedTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(1000, Duration.ofSeconds(10), null);

  private static LinkException failure(Supplier<SocketChannel> sockets, URI address)
      throws LinkException {
    Transport nio = Transport.nio("for the test");
    Transport changed =
        new Transport("nio", "for the test", nio.handlers(), sockets, nio.serverSockets());
    try (SteppedLinks links =
        new SteppedLinks(new TcpHarness(changed, null, null, 0), OPTIONS, OPTIONS)) {
      return links.connect(address).failure();
    }
  }

  /** Binds to the port that it connects to, as the kernel does now and then by chance. */
  private static final class Mirror extends NioSockets.Socket {
    @Override
    protected boolean doConnect(SocketAddress remote, SocketAddress local) throws Exception {
      return super.doConnect(remote, remote);
    }
  }

  @Test
  void isRefusedWhereItMeetsItselfAndNobodyElse() throws LinkException {
    try (TcpHarness harness = TcpHarness.nio()) {
      LinkException met = failure(Mirror::new, harness.nobodyListens());
      assertThat(met).hasMessageContaining("nothing listens on that port");
      assertThat(met.nobodyListens()).isTrue();
    }
  }

  @Test
  void saysAtOnceThatNoSocketCanBeMade() throws LinkException {
    Supplier<SocketChannel> none =
        () -> {
          throw new ChannelException("for the test");
        };
    LinkException met = failure(none, URI.create("tcp://127.0.0.1:7400"));
    assertThat(met)
        .hasMessageContaining("tcp://127.0.0.1:7400 got no socket")
        .hasMessageContaining("for the test")
        .hasMessageNotContaining("firewall");
    assertThat(met.nobodyListens()).isFalse();
  }
}
