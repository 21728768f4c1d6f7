package io.verbena.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.tcp.TcpLinkProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EchoBenchmarkTest {
  @Test
  void countsEveryRoundTripOfEachWay() throws InterruptedException {
    try (Echo netty = new NettyEcho(false);
        Echo link = new LinkEcho(new TcpLinkProvider());
        Echo call = new CallEcho()) {
      List<String> lines = EchoBenchmark.compare(List.of(netty, link, call), 300, 16);
      assertThat(lines).hasSize(3).allMatch(line -> line.contains(" 1500 messages "));
      assertThat(lines.get(0)).contains("raw Netty on nio");
      assertThat(lines.get(1)).contains("Verbena's link on nio");
      assertThat(lines.get(2)).contains("typed async call");
    }
  }
}
