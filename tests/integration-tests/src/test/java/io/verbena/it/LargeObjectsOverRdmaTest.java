package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Objects that are longer than an int counts, over RDMA on verbs in memory. */
@EnabledIfSystemProperty(named = "verbena.full", matches = "true")
@Timeout(value = 15, unit = TimeUnit.MINUTES) // of packets, each of which is simulated
class LargeObjectsOverRdmaTest {
  private static final long BYTES = (1L << 31) + 5;
  private static final Duration LEASE = Duration.ofMinutes(20);
  private static final Duration LONGEST = Duration.ofMinutes(14);

  private final Fabric fabric = Fabric.threaded(19);
  private final RdmaUpgradeProvider serving = device("west", "10.9.0.2");
  private final VerbenaServer server =
      VerbenaServer.builder().listen("127.0.0.1:0").upgrades(serving).pinCutOffBytes(1).start();
  private final VerbenaClient client =
      VerbenaClient.builder().upgrades(device("east", "10.9.0.1")).pinCutOffBytes(1).build();
  private final Session session = client.connect(server.address().toString());

  private RdmaUpgradeProvider device(String name, String address) {
    FabricHost host = fabric.addHost(name, InetAddress.ofLiteral(address));
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  @BeforeEach
  void awaitRdma() {
    await()
        .atMost(Duration.ofSeconds(40))
        .untilAsserted(() -> assertThat(session.path().link()).isEqualTo("rdma"));
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    fabric.close();
  }

  private void fetch(Source from, Landing into) throws Exception {
    try (Published published = server.publish(from, LEASE)) {
      session
          .objects()
          .fetch(published.ref(), into, TransferOptions.DEFAULT.withChecksum())
          .get(LONGEST)
          .close();
    }
    assertThat(session.path().link()).isEqualTo("rdma");
    assertThat(serving.counters().bulkBytes()).isGreaterThanOrEqualTo(BYTES);
  }

  @Test
  void goFromMemoryToMemoryThatIsRegisteredForIt() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate(BYTES);
      Pattern.fill(from, 0);
      MemorySegment into = arena.allocate(BYTES);
      fetch(Source.of(from), Landing.of(into));
      Pattern.check(into, 0);
      assertThat(serving.counters().cacheMisses()).as("registrations").isPositive();
    }
  }

  @Test
  void goByPooledMemoryFromAGeneratorToAConsumer() throws Exception {
    Pattern.Checker checker = new Pattern.Checker();
    fetch(Pattern.source(BYTES), Landing.chunks(checker));
    assertThat(checker.checked()).isEqualTo(BYTES);
  }
}
