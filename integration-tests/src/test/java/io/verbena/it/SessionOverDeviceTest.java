package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.ffm.FfmProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions over TCP, as anyone opens them, that upgrade to a real device by themselves. */
@Tag("lab")
final class SessionOverDeviceTest {
  private static final int CALLS = 3000;
  private static final int CHART_BYTES = 3_000_000;

  /** Set, since where messages are slow and bytes are cheap a large item would go as a message. */
  private static final int CUT_OFF_BYTES = 1 << 20;

  /** Far longer than a frame. */
  private static final String LONG = "x".repeat(100_000);

  /** Two new ends on an emulated machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void aLoopbackSessionRidesTheDevice() throws Exception {
    AtomicInteger executed = new AtomicInteger();
    House counting =
        new PlainHouse() {
          @Override
          public String say(String text) {
            executed.incrementAndGet();
            return text;
          }
        };
    onTheDevice(
        HouseRpc.bind(counting),
        (session, rdma) -> {
          HouseRpc.Async house = HouseRpc.async(session);
          List<CompletableFuture<String>> calls = new ArrayList<>();
          for (int i = 0; i < CALLS; i++) {
            calls.add(house.say(i + (i % 100 == 0 ? LONG : "")).toCompletableFuture());
            if (i % 200 == 199) {
              calls.getLast().get(30, TimeUnit.SECONDS);
            }
          }
          for (CompletableFuture<String> call : calls) {
            call.get(30, TimeUnit.SECONDS);
          }
        });
    assertThat(executed).hasValue(CALLS);
  }

  @Test
  void streamsRideTheDeviceAndTheirLargeItemsGoByWrite() throws Exception {
    onTheDevice(
        QuotesRpc.bind(new PlainQuotes()),
        (session, rdma) -> {
          Quotes quotes = QuotesRpc.client(session);
          try (StreamIterator<Long> each =
              Streams.iterate(quotes.doubled(Streams.of(LongStream.range(0, CALLS))))) {
            for (long number = 0; number < CALLS; number++) {
              assertThat(each.next()).isEqualTo(2 * number);
            }
            assertThat(each.hasNext()).isFalse();
          }
          long before = rdma.counters().bulkBytes();
          try (StreamIterator<Quotes.Quote> each =
              Streams.iterate(quotes.watch("few", CHART_BYTES))) {
            for (int price = 1; price <= 3; price++) {
              assertThat(each.next().chart().byteSize()).isEqualTo(CHART_BYTES);
            }
          }
          assertThat(rdma.counters().bulkBytes() - before).isGreaterThanOrEqualTo(3L * CHART_BYTES);
        });
  }

  /** What a test does with a session that rides the device. */
  private interface Use {
    void of(Session session, RdmaUpgradeProvider rdma) throws Exception;
  }

  private static void onTheDevice(ServiceBinding served, Use use) throws Exception {
    RdmaUpgradeProvider rdma =
        new RdmaUpgradeProvider(new FfmProvider(), RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    try (VerbenaServer server =
            VerbenaServer.builder()
                .serve(served)
                .partCutOffBytes(CUT_OFF_BYTES)
                .upgrades(rdma)
                .listen("tcp://127.0.0.1:0")
                .start();
        VerbenaClient client =
            VerbenaClient.builder().connectTimeout(PATIENCE).upgrades(rdma).build()) {
      Session session = client.connect(server.address().toString());
      await().atMost(PATIENCE).until(() -> session.path().link().equals("rdma"));
      assertThat(session.path().reason()).startsWith(System.getenv("LAB_DEVICE") + " at ");
      use.of(session, rdma);
      assertThat(session.path().link()).isEqualTo("rdma");
    }
    assertThat(rdma.counters().brokenRules()).isZero();
    assertThat(rdma.counters().undrained()).isZero();
    assertThat(rdma.pinnedBytes()).isZero();
  }
}
