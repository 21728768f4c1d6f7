package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.stat.CompressionStat;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.Stats;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compressed messages of a session that rides RDMA over verbs in memory, and leaves it. */
@Timeout(120)
class CompressedOverRdmaTest {
  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static final String PAGE = "a page of some length ".repeat(100);
  private static final String BOOK = PAGE.repeat(100);

  private final Fabric fabric = Fabric.threaded(29);
  private final FabricHost east = fabric.addHost("east", InetAddress.ofLiteral("10.9.0.1"));
  private final FabricHost west = fabric.addHost("west", InetAddress.ofLiteral("10.9.0.2"));
  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .upgrades(device(west))
          .serve(HouseRpc.bind(new PlainHouse()))
          .compressFromBytes(512)
          .start();
  private final VerbenaClient client =
      VerbenaClient.builder().upgrades(device(east)).compressFromBytes(512).build();

  private static RdmaUpgradeProvider device(FabricHost host) {
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  @AfterEach
  void close() {
    await().atMost(LONGEST).until(() -> client.sharedBytesInUse() == 0);
    client.close();
    server.close();
    fabric.close();
  }

  private static void textsArrive(House house) {
    for (int i = 0; i < 20; i++) {
      assertThat(house.say(i + PAGE)).isEqualTo(i + PAGE);
      assertThat(house.say(i + BOOK)).isEqualTo(i + BOOK);
    }
  }

  @Test
  void arriveByEveryPathAndLargeValuesStayAsTheyAre() {
    Session session = client.connect(server.address().toString());
    House house = HouseRpc.client(session);
    await()
        .atMost(LONGEST)
        .untilAsserted(() -> assertThat(session.path().link()).isEqualTo("rdma"));
    textsArrive(house);
    assertThat(sent().messages()).isEqualTo(40);
    byte[] zeros = new byte[4 << 20];
    MemorySegment back = house.same(MemorySegment.ofArray(zeros));
    assertThat(back.mismatch(MemorySegment.ofArray(zeros))).isEqualTo(-1);
    assertThat(sent().messages()).isEqualTo(40);

    fabric.cut(east, west);
    textsArrive(house);
    assertThat(sent().messages()).isEqualTo(80);
    assertThat(sent().bytes()).isLessThan(sent().plainBytes() / 10);
  }

  private static CompressionStat sent() {
    return Stats.engines().stream()
        .filter(one -> one.name().equals("client"))
        .map(EngineStat::compression)
        .findFirst()
        .orElseThrow();
  }
}
