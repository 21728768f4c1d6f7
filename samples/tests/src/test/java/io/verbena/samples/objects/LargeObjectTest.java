package io.verbena.samples.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.api.bulk.TransferException;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One file, two who fetch it. */
class LargeObjectTest {
  private static final int BYTES = Boolean.getBoolean("verbena.long") ? 40_000_003 : 12_000_003;

  @TempDir private Path directory;
  private Path file;
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

  @BeforeEach
  void makeAFile() throws IOException {
    byte[] content = new byte[BYTES];
    new Random(17).nextBytes(content);
    file = Files.write(directory.resolve("film"), content);
  }

  private static VerbenaServer.Builder server() {
    return VerbenaServer.builder().listen("127.0.0.1:0");
  }

  private static VerbenaClient.Builder client() {
    return VerbenaClient.builder();
  }

  /** Fetches over a link of this kind, into a directory of its own. */
  private Path fetch(VerbenaClient.Builder builder, String address, String link, String to)
      throws Exception {
    try (VerbenaClient client = builder.build();
        Session session = client.connect(address)) {
      await()
          .atMost(Duration.ofSeconds(40))
          .untilAsserted(() -> assertThat(session.path().link()).isEqualTo(link));
      Path target = Files.createDirectory(directory.resolve(to));
      return Fetch.fetch(session, target, new PrintStream(screen, true, StandardCharsets.UTF_8));
    }
  }

  private void bothFetchAtOnce(
      ShareServer share, String link, VerbenaClient.Builder one, VerbenaClient.Builder two)
      throws Exception {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Path> first = clients.submit(() -> fetch(one, share.address(), link, "one"));
      Future<Path> second = clients.submit(() -> fetch(two, share.address(), link, "two"));
      assertThat(Files.mismatch(first.get(), file)).isEqualTo(-1);
      assertThat(Files.mismatch(second.get(), file)).isEqualTo(-1);
    }
    assertThat(screen.toString(StandardCharsets.UTF_8))
        .contains("film [##############################] 100 %");
  }

  @Test
  void twoClientsFetchTheSameFileAtOnce() throws Exception {
    try (ShareServer share = ShareServer.start(server().path(PathPolicy.TCP_ONLY), file)) {
      bothFetchAtOnce(share, "tcp", client(), client());
    }
  }

  @Test
  void overRdmaItIsWrittenIntoTheMemoryOfBoth() throws Exception {
    try (Fabric fabric = Fabric.threaded(11)) {
      RdmaUpgradeProvider sharing = device(fabric, "centre", "10.9.0.1");
      RdmaUpgradeProvider east = device(fabric, "east", "10.9.0.2");
      RdmaUpgradeProvider west = device(fabric, "west", "10.9.0.3");
      try (ShareServer share = ShareServer.start(server().upgrades(sharing), file)) {
        bothFetchAtOnce(share, "rdma", client().upgrades(east), client().upgrades(west));
      }
      assertThat(sharing.counters().bulkBytes()).isGreaterThanOrEqualTo(2L * BYTES);
    }
  }

  private static RdmaUpgradeProvider device(Fabric fabric, String name, String address)
      throws IOException {
    FabricHost host = fabric.addHost(name, InetAddress.getByName(address));
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  }

  @Test
  void whatIsNoLongerSharedCannotBeFetchedAndLeavesNoFile() throws Exception {
    try (ShareServer share = ShareServer.start(server(), file)) {
      share.stopSharing();
      assertThatThrownBy(
              () -> fetch(client().path(PathPolicy.TCP_ONLY), share.address(), "tcp", "late"))
          .isInstanceOf(TransferException.class)
          .hasMessageContaining("object");
    }
    assertThat(directory.resolve("late")).isEmptyDirectory();
  }
}
