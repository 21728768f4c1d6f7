package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.core.NanoClock;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
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

  @Test
  void aLoopbackSessionRidesTheDevice() throws Exception {
    AtomicInteger executed = new AtomicInteger();
    RdmaUpgradeProvider rdma =
        new RdmaUpgradeProvider(new FfmProvider(), RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    try (VerbenaServer server =
            VerbenaServer.builder()
                .serve(Echo.bind(text -> executed.incrementAndGet()))
                .upgrades(rdma)
                .listen("tcp://127.0.0.1:0")
                .start();
        VerbenaClient client = VerbenaClient.builder().upgrades(rdma).build()) {
      Session session = client.connect(server.address().toString());
      awaitRdma(session);
      assertThat(session.path().reason()).isEqualTo(DeviceLinkHarness.variable("LAB_DEVICE"));
      List<CompletableFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(Echo.call(session, i + (i % 100 == 0 ? "x".repeat(100_000) : "")));
        if (i % 200 == 199) {
          calls.getLast().get(30, TimeUnit.SECONDS);
        }
      }
      for (CompletableFuture<String> call : calls) {
        call.get(30, TimeUnit.SECONDS);
      }
      assertThat(session.path().link()).isEqualTo("rdma");
    }
    assertThat(executed).hasValueGreaterThanOrEqualTo(CALLS);
    assertThat(rdma.counters().brokenRules()).isZero();
    assertThat(rdma.counters().undrained()).isZero();
    assertThat(rdma.pinnedBytes()).isZero();
  }

  private static void awaitRdma(Session session) throws Exception {
    long end = NanoClock.SYSTEM.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!session.path().link().equals("rdma")) {
      assertThat(NanoClock.SYSTEM.nanoTime() - end).as(session.path().toString()).isNegative();
      Echo.call(session, "warm").get(30, TimeUnit.SECONDS);
    }
  }
}
