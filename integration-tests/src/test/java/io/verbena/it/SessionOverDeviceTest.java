package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.NanoClock;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.ffm.FfmProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session over TCP, as anyone opens it, that upgrades to a real device by itself. */
@Tag("lab")
final class SessionOverDeviceTest {
  private static final int CALLS = 3000;

  /** Far longer than a frame. */
  private static final String LONG = "x".repeat(100_000);

  /** Two new ends on an emulated machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

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
    RdmaUpgradeProvider rdma =
        new RdmaUpgradeProvider(new FfmProvider(), RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    try (VerbenaServer server =
            VerbenaServer.builder()
                .serve(HouseRpc.bind(counting))
                .upgrades(rdma)
                .listen("tcp://127.0.0.1:0")
                .start();
        VerbenaClient client =
            VerbenaClient.builder().connectTimeout(PATIENCE).upgrades(rdma).build()) {
      Session session = client.connect(server.address().toString());
      await().atMost(PATIENCE).until(() -> session.path().link().equals("rdma"));
      assertThat(session.path().reason()).isEqualTo(System.getenv("LAB_DEVICE"));
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
      assertThat(session.path().link()).isEqualTo("rdma");
    }
    assertThat(executed).hasValue(CALLS);
    assertThat(rdma.counters().brokenRules()).isZero();
    assertThat(rdma.counters().undrained()).isZero();
    assertThat(rdma.pinnedBytes()).isZero();
  }
}
