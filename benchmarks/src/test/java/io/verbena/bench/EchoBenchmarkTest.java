package io.verbena.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.tcp.TcpLinkProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EchoBenchmarkTest {
  @Test
  void countsEveryRoundTripOfEachWay() throws InterruptedException {
    try (Echo netty = new NettyEcho(false);
        Echo link = new LinkEcho(new TcpLinkProvider())) {
      List<String> lines = EchoBenchmark.compare(List.of(netty, link), 300, 16);
      assertThat(lines).hasSize(2).allMatch(line -> line.contains(" 1500 messages "));
      assertThat(lines.get(0)).contains("raw Netty on nio");
      assertThat(lines.get(1)).contains("Verbena's link on nio");
    }
  }
}
