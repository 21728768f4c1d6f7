package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.shm.ShmUpgradeProvider;
import io.verbena.testkit.abuse.ThrottledProxy;
import io.verbena.verbs.fabric.Fabric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.MergedBlockMeta;
import org.apache.spark.network.shuffle.MergedBlocksMetaListener;
import org.apache.spark.network.shuffle.SimpleDownloadFile;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks of one executor, fetched by another as Spark's tasks do. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class SessionBlockClientTest {
  private static final int OUTPUTS = 500;
  private static final int LONG_BLOCK = 700_000;
  private static final long MEMORY = 64 << 20;
  private static final TransportConf TRANSPORT =
      new TransportConf("shuffle", MapConfigProvider.EMPTY);
  private static final Fabric FABRIC = Fabric.threaded(51);
  private static final AtomicInteger HOSTS = new AtomicInteger();

  @TempDir private Path directory;
  private final Map<String, byte[]> bytes = new ConcurrentHashMap<>();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final AskedClient spark = new AskedClient();
  private String[] names = new String[0];
  private Path file = Path.of("none");

  /** What the executors may use beside TCP. */
  enum PathKind {
    tcp,
    shm,
    rdma;

    List<UpgradeProvider> providers() {
      return switch (this) {
        case tcp -> List.of();
        case shm -> List.of(new ShmUpgradeProvider());
        case rdma -> {
          int host = HOSTS.incrementAndGet();
          yield List.of(
              new RdmaUpgradeProvider(
                  FABRIC.addHost("host" + host, InetAddress.ofLiteral("10.9.0." + host)),
                  RdmaSettings.DEFAULT,
                  NanoClock.SYSTEM));
        }
      };
    }
  }

  /** A file with a block of each map output: empty ones, short ones and long ones. */
  @BeforeEach
  void writeBlocks() throws IOException {
    Random random = new Random(51);
    names = new String[OUTPUTS];
    Path written = directory.resolve("blocks.data");
    try (var out = Files.newOutputStream(written)) {
      for (int i = 0; i < OUTPUTS; i++) {
        names[i] = "shuffle_0_" + i + "_3";
        byte[] block = new byte[i % 97 == 5 ? LONG_BLOCK : i % 10 == 0 ? 0 : random.nextInt(9000)];
        random.nextBytes(block);
        bytes.put(names[i], block);
        out.write(block);
      }
    }
    file = written;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  private byte[] contentOf(String block) {
    return Objects.requireNonNull(bytes.get(block), block);
  }

  private ManagedBuffer block(BlockId id) {
    byte[] block = bytes.get(id.name());
    if (block == null) {
      throw new IllegalStateException("there is no " + id);
    }
    if (id.name().endsWith("7_3")) {
      return new NioManagedBuffer(ByteBuffer.wrap(block));
    }
    long offset = 0;
    for (String name : names) {
      if (name.equals(id.name())) {
        break;
      }
      offset += contentOf(name).length;
    }
    return new FileSegmentManagedBuffer(TRANSPORT, file.toFile(), offset, block.length);
  }

  private static VerbenaSettings settings(long memory, Duration patience) {
    return new VerbenaSettings(
        "127.0.0.1", 0, 0, memory, 1, MEMORY / 8, patience, Duration.ofSeconds(30));
  }

  private ShuffleExchange exchange(
      String executor, PathKind kind, VerbenaSettings settings, @Nullable String addressOfOther) {
    ShuffleExchange exchange =
        ShuffleExchange.start(
            VerbenaServer.builder().upgrades(kind.providers().toArray(UpgradeProvider[]::new)),
            VerbenaClient.builder().upgrades(kind.providers().toArray(UpgradeProvider[]::new)),
            settings,
            new BlockHandler(() -> "app", executor, this::block),
            other -> addressOfOther);
    opened.add(exchange);
    return exchange;
  }

  private SessionBlockClient client(ShuffleExchange exchange) {
    AtomicInteger files = new AtomicInteger();
    return new SessionBlockClient(
        exchange,
        "app",
        spark,
        () -> directory.resolve("temporary-" + files.incrementAndGet()),
        TRANSPORT);
  }

  private SessionBlockClient connected(PathKind kind, long memory, Duration patience) {
    VerbenaSettings settings = settings(memory, patience);
    String address = "127.0.0.1:" + exchange("1", kind, settings, null).port();
    return client(exchange("2", kind, settings, address));
  }

  /** What a task was told of each block. */
  private static final class Told implements BlockFetchingListener {
    final Map<String, ManagedBuffer> came = new ConcurrentHashMap<>();
    final Map<String, Throwable> failed = new ConcurrentHashMap<>();
    final AtomicInteger twice = new AtomicInteger();
    private final CountDownLatch left;

    Told(int blocks) {
      left = new CountDownLatch(blocks);
    }

    @Override
    public void onBlockFetchSuccess(String block, ManagedBuffer buffer) {
      if (came.put(block, buffer.retain()) != null) {
        twice.incrementAndGet();
      }
      left.countDown();
    }

    @Override
    public void onBlockFetchFailure(String block, Throwable failure) {
      failed.put(block, failure);
      left.countDown();
    }

    Told wholly() throws InterruptedException {
      assertThat(left.await(40, TimeUnit.SECONDS)).isTrue();
      assertThat(twice).hasValue(0);
      return this;
    }
  }

  private static Told fetch(
      SessionBlockClient client, @Nullable DownloadFileManager downloads, String... blocks) {
    Told told = new Told(blocks.length);
    client.fetchBlocks("nowhere", 1, "1", blocks, told, downloads);
    return told;
  }

  private static final class NoMeta implements MergedBlocksMetaListener {
    @Override
    public void onSuccess(int shuffle, int merge, int reduce, MergedBlockMeta meta) {}

    @Override
    public void onFailure(int shuffle, int merge, int reduce, Throwable failure) {}
  }

  private void assertIntact(Told told, String... blocks) throws IOException {
    assertThat(told.failed).isEmpty();
    for (String block : blocks) {
      ManagedBuffer buffer = Objects.requireNonNull(told.came.get(block), block);
      assertThat(buffer.size()).as(block).isEqualTo(contentOf(block).length);
      try (var in = buffer.createInputStream()) {
        assertThat(Arrays.equals(in.readAllBytes(), contentOf(block))).as(block).isTrue();
      }
      buffer.release();
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyBlockArrivesInMemoryThatIsFreeAfterTheLast(PathKind kind) throws Exception {
    VerbenaSettings settings = settings(MEMORY, Duration.ofSeconds(20));
    String address = "127.0.0.1:" + exchange("1", kind, settings, null).port();
    ShuffleExchange fetching = exchange("2", kind, settings, address);
    SessionBlockClient client = client(fetching);
    assertIntact(fetch(client, null, names[1]).wholly(), names[1]);
    await()
        .atMost(Duration.ofSeconds(40))
        .untilAsserted(() -> assertThat(fetching.paths().get("1")).startsWith(kind + " "));
    Told told = fetch(client, null, names).wholly();
    assertThat(fetching.budget().held()).isPositive();
    assertIntact(told, names);
    // the client lets go of the last block only after it has told of it
    await().untilAsserted(() -> assertThat(fetching.budget().held()).isZero());
    assertThat(fetching.paths().get("1")).startsWith(kind + " ");
  }

  @Test
  void anExecutorThatIsGoneIsForgotten() throws Exception {
    VerbenaSettings settings = settings(MEMORY, Duration.ofMillis(300));
    ShuffleExchange gone = exchange("1", PathKind.tcp, settings, null);
    ShuffleExchange fetching = exchange("2", PathKind.tcp, settings, "127.0.0.1:" + gone.port());
    assertIntact(fetch(client(fetching), null, names[1]).wholly(), names[1]);

    gone.close(); // nothing is fetched from it any more

    await().untilAsserted(() -> assertThat(fetching.paths()).isEmpty());
    Told late = fetch(client(fetching), null, names[1]).wholly();
    assertThat(late.failed).containsKey(names[1]);
    await().untilAsserted(() -> assertThat(fetching.paths()).isEmpty());
  }

  /** Of a task that wants partitions 3 to 5 of a shuffle, as one that combines small ones does. */
  @ParameterizedTest
  @EnumSource
  void aBlockOfNeighbouringPartitionsArrives(PathKind kind) throws Exception {
    String batch = "shuffle_0_1_3_6";
    assertThat(BlockId.apply(batch)).isInstanceOf(ShuffleBlockBatchId.class);
    bytes.put(batch, contentOf(names[6]));
    names[6] = batch;
    SessionBlockClient client = connected(kind, MEMORY, Duration.ofSeconds(20));
    assertIntact(fetch(client, null, names[5], batch).wholly(), names[5], batch);
  }

  @Test
  void whatIsNoBlockOfAnExecutorIsAskedOfSparksClient() {
    SessionBlockClient client = connected(PathKind.tcp, MEMORY, Duration.ofSeconds(20));
    client.fetchBlocks("host", 7, "1", new String[] {"shuffleChunk_0_0_3_1"}, new Told(1), null);
    client.getMergedBlockMeta("host", 7, 0, 0, 3, new NoMeta());
    assertThat(client.diagnoseCorruption("host", 7, "1", 0, 5, 3, 99, "ADLER32"))
        .isEqualTo(Cause.DISK_ISSUE);
    assertThat(spark.asked)
        .containsExactly(
            "shuffleChunk_0_0_3_1 of 1 at host:7",
            "chunks of shuffleMerged_0_0_3 at host:7",
            "why shuffle_0_5_3 of 1 at host:7 is not of ADLER32 99");
  }

  /** It has the manager, and the plugin is missing there. */
  @Test
  void blocksOfAnExecutorThatServesNoneAreAskedOfSparksClient() {
    ShuffleExchange exchange =
        exchange("2", PathKind.tcp, settings(MEMORY, Duration.ofSeconds(20)), null);
    fetch(client(exchange), null, names[1]);
    assertThat(spark.asked).containsExactly(names[1] + " of 1 at nowhere:1");
  }

  /** Two shuffles of one task would wait for each other. */
  @Test
  void blocksThatFindNoMemoryLandInAFileWhoseNameIsGone() throws Exception {
    SessionBlockClient client = connected(PathKind.tcp, 2 << 20, Duration.ofSeconds(20));
    Told first = fetch(client, null, names).wholly();
    Told second = fetch(client, null, names).wholly();
    try (var left = Files.list(directory)) {
      assertThat(left).containsExactly(file);
    }
    assertIntact(second, names);
    assertIntact(first, names);
  }

  @Test
  void blocksAboveSparksLimitLandInItsFile() throws Exception {
    SessionBlockClient client = connected(PathKind.tcp, MEMORY, Duration.ofSeconds(20));
    Path target = directory.resolve("download");
    DownloadFileManager downloads =
        new DownloadFileManager() {
          @Override
          public DownloadFile createTempFile(TransportConf conf) {
            return new SimpleDownloadFile(target.toFile(), conf);
          }

          @Override
          public boolean registerTempFileToClean(DownloadFile download) {
            return true;
          }
        };
    Told told = fetch(client, downloads, names[5], names[0], names[6]).wholly();
    assertThat(told.came.get(names[5])).isInstanceOf(FileSegmentManagedBuffer.class);
    assertIntact(told, names[5], names[0], names[6]);
  }

  @Test
  void aMissingBlockAndAnotherExecutorFailTheFetchAtOnce() throws Exception {
    SessionBlockClient client = connected(PathKind.tcp, MEMORY, Duration.ofSeconds(20));
    Told missing = fetch(client, null, names[1], "shuffle_0_9999_0").wholly();
    assertThat(missing.failed).containsOnlyKeys(names[1], "shuffle_0_9999_0");
    assertThat(missing.failed.get(names[1])).hasMessageContaining("there is no");
    Told told = new Told(1);
    client.fetchBlocks("nowhere", 1, "3", new String[] {names[1]}, told, null);
    assertThat(told.wholly().failed.get(names[1])).hasMessageContaining("this is executor 1");
    assertIntact(fetch(client, null, names[1]).wholly(), names[1]);
  }

  @Test
  void blocksThatAreNoShuffleBlocksAreRefused() throws Exception {
    SessionBlockClient client = connected(PathKind.tcp, MEMORY, Duration.ofSeconds(20));
    assertThat(fetch(client, null, "shuffle_0_1_2.data").wholly().failed.values())
        .allSatisfy(failure -> assertThat(failure).isInstanceOf(RpcException.class));
  }

  @Test
  void anExecutorThatIsGoneFailsTheFetchAfterThePatience() throws Exception {
    ShuffleExchange gone =
        exchange("1", PathKind.tcp, settings(MEMORY, Duration.ofMillis(600)), null);
    String address = "127.0.0.1:" + gone.port();
    SessionBlockClient client =
        client(exchange("2", PathKind.tcp, settings(MEMORY, Duration.ofMillis(600)), address));
    assertIntact(fetch(client, null, names[1]).wholly(), names[1]);
    gone.close();
    assertThat(fetch(client, null, names).wholly().failed).containsOnlyKeys(names);
  }

  /** As one that is stopped, or on a machine that hangs. */
  @Test
  void anExecutorThatDoesNotAnswerFailsTheFetchAfterThePatience() throws Exception {
    try (ServerSocket hanging = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + hanging.getLocalPort();
      SessionBlockClient client =
          client(exchange("2", PathKind.tcp, settings(MEMORY, Duration.ofMillis(600)), address));
      assertThat(fetch(client, null, names).wholly().failed).containsOnlyKeys(names);
    }
  }

  @Test
  void aDriverThatDoesNotKnowFailsTheFetch() throws Exception {
    ShuffleExchange exchange =
        ShuffleExchange.start(
            VerbenaServer.builder(),
            VerbenaClient.builder(),
            settings(MEMORY, Duration.ofSeconds(1)),
            new BlockHandler(() -> "app", "2", this::block),
            other -> {
              throw new IllegalStateException("the driver does not answer");
            });
    opened.add(exchange);
    assertThat(fetch(client(exchange), null, names).wholly().failed).containsOnlyKeys(names);
  }

  /** A session waits longer after each loss, so that ten executors share the links. */
  @Test
  @Tag("long")
  void eachBlockArrivesOnceAlthoughAHundredLinksAreCut() throws Exception {
    VerbenaSettings settings = settings(MEMORY, Duration.ofSeconds(20));
    ShuffleExchange serving = exchange("1", PathKind.tcp, settings, null);
    URI server = URI.create("tcp://127.0.0.1:" + serving.port());
    List<Future<Integer>> cuts = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 10; i++) {
        ThrottledProxy line = new ThrottledProxy(server, 2_000_000_000L);
        opened.add(line);
        SessionBlockClient client =
            client(exchange("fetching" + i, PathKind.tcp, settings, line.address()));
        cuts.add(threads.submit(() -> fetchOverCutLinks(client, line)));
      }
    }
    int all = 0;
    for (Future<Integer> some : cuts) {
      all += some.get();
    }
    assertThat(all).isGreaterThanOrEqualTo(100);
  }

  private int fetchOverCutLinks(SessionBlockClient client, ThrottledProxy line) throws Exception {
    String[] some = Arrays.copyOfRange(names, 10, 60);
    while (line.connections() <= 10) {
      long before = line.bytesToClients();
      Told told = fetch(client, null, some);
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> told.left.getCount() == 0 || line.bytesToClients() > before + 30_000);
      line.cut();
      assertIntact(told.wholly(), some);
    }
    return line.connections() - 1;
  }
}
