package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams that ride RDMA over verbs in memory, and leave it, and come back. */
@Timeout(120)
class StreamsOverRdmaTest {
  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static final int CHART_BYTES = 3_000_000;

  private final Fabric fabric = Fabric.threaded(23);
  private final FabricHost east = fabric.addHost("east", InetAddress.ofLiteral("10.9.0.1"));
  private final RdmaUpgradeProvider serving =
      device(fabric.addHost("west", InetAddress.ofLiteral("10.9.0.2")));
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .upgrades(serving)
          .serve(QuotesRpc.bind(new PlainQuotes()))
          .start();
  private final VerbenaClient client = VerbenaClient.builder().upgrades(device(east)).build();
  private final Session session = client.connect(server.address().toString());
  private final Quotes quotes = QuotesRpc.client(session);

  private static RdmaUpgradeProvider device(FabricHost host) {
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  @BeforeEach
  void awaitRdma() {
    awaitPath("rdma");
  }

  private void awaitPath(String link) {
    await().atMost(LONGEST).untilAsserted(() -> assertThat(session.path().link()).isEqualTo(link));
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    assertThat(serving.pinnedBytes()).isZero();
    fabric.close();
  }

  /** Takes the next items of a stream of even numbers, and looks at each. */
  private static long take(StreamIterator<Long> each, long from, long to) {
    for (long number = from; number < to; number++) {
      assertThat(each.next()).isEqualTo(2 * number);
    }
    return to;
  }

  @Test
  void loseAndDoubleNothingWhileTheirPathChanges() throws Exception {
    try (StreamIterator<Long> each =
        Streams.iterate(quotes.doubled(Streams.of(LongStream.range(0, 8_000))))) {
      long taken = take(each, 0, 2_000);
      assertThat(session.path().link()).isEqualTo("rdma");
      east.removeDevice();
      taken = take(each, taken, 4_000);
      awaitPath("tcp");
      taken = take(each, taken, 5_000);
      east.restoreDevice();
      taken = take(each, taken, 6_000);
      awaitPath("rdma");
      take(each, taken, 8_000);
      assertThat(each.hasNext()).isFalse();
    }
  }

  @Test
  void carryLargeValuesByWritesAlsoWhereTheDeviceIsLostMeanwhile() throws Exception {
    long before = serving.counters().bulkBytes();
    try (StreamIterator<Quotes.Quote> each = Streams.iterate(quotes.watch("few", CHART_BYTES))) {
      assertThat(each.next().chart().byteSize()).isEqualTo(CHART_BYTES);
      assertThat(serving.counters().bulkBytes() - before).isGreaterThanOrEqualTo(CHART_BYTES);
      east.removeDevice();
      for (int price = 2; price <= 3; price++) {
        Quotes.Quote quote = each.next();
        assertThat(quote.price()).isEqualTo(price);
        assertThat(quote.chart().byteSize()).isEqualTo(CHART_BYTES);
      }
      assertThat(each.hasNext()).isFalse();
    }
  }
}
