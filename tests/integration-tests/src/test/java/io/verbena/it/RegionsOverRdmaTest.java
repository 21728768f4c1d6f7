package io.verbena.it;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionState;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.core.SessionLimits;
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
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regions of sessions that upgrade to RDMA over verbs in memory. */
class RegionsOverRdmaTest {
  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final int ALL = Regions.READ | Regions.WRITE | Regions.ATOMIC;

  /** A loop that a test holds is not given up, however long a busy machine takes. */
  private static final SessionLimits PATIENT =
      SessionLimits.DEFAULT.withKeepalive(Duration.ofSeconds(20), Duration.ofMinutes(2));

  private final Fabric fabric = Fabric.threaded(11);
  private final BlockingQueue<Session> owners = new LinkedBlockingQueue<>();
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private final CountDownLatch held = new CountDownLatch(1);
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(1 << 20, 8);
  private FabricHost east;
  private FabricHost west;
  private RdmaUpgradeProvider eastern;
  private RdmaUpgradeProvider western;
  private VerbenaServer server;
  private VerbenaClient client;
  private Session session;
  private Session owner;

  /** One whose call holds the loop of whoever serves it. */
  private final class Holding extends PlainHouse {
    @Override
    public long add(long number) {
      if (number < 0) {
        held.countDown();
        try {
          assertThat(goesOn.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return number + 1;
    }
  }

  @BeforeEach
  void openASession() throws Exception {
    east = fabric.addHost("east", address("10.9.0.1"));
    west = fabric.addHost("west", address("10.9.0.2"));
    eastern = new RdmaUpgradeProvider(east, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    western = new RdmaUpgradeProvider(west, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(HouseRpc.bind(new Holding()))
            .onSession(owners::add)
            .upgrades(western)
            .limits(PATIENT)
            .drainTime(Duration.ofMillis(100))
            .start();
    client = VerbenaClient.builder().upgrades(eastern).limits(PATIENT).build();
    session = client.connect(server.address().toString());
    owner = owners.poll(LONGEST.toSeconds(), TimeUnit.SECONDS);
    awaitPath("rdma");
  }

  private static InetAddress address(String name) throws UnknownHostException {
    return InetAddress.getByName(name);
  }

  @AfterEach
  void leavesNothingBehind() {
    goesOn.countDown();
    client.close();
    server.close();
    assertThat(client.sharedBytesInUse()).isZero();
    assertThat(client.bulkStats().memoryInUse()).isZero();
    assertThat(eastern.pinnedBytes()).isZero();
    assertThat(western.pinnedBytes()).isZero();
    fabric.close();
    arena.close();
  }

  private void awaitPath(String link) {
    await()
        .atMost(LONGEST)
        .untilAsserted(() -> assertThat(session.path().toString()).startsWith(link));
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
  }

  /** Exposes memory, and waits until the other end reaches it by itself. */
  private ExposedRegion reached() throws Exception {
    return reached(memory);
  }

  private ExposedRegion reached(MemorySegment memory) throws Exception {
    ExposedRegion exposed = owner.regions().expose(memory, ALL, LEASE);
    assertThat(HouseRpc.client(session).add(1)).isEqualTo(2); // its ref has come
    MemorySegment word = MemorySegment.ofArray(new byte[8]);
    get(session.regions().get(exposed.ref(), 0, word)); // finds out which path there is
    await()
        .atMost(LONGEST)
        .untilAsserted(
            () -> {
              get(session.regions().get(exposed.ref(), 0, word));
              assertThat(western.counters().openBytes()).isEqualTo(memory.byteSize());
            });
    assertThat(HouseRpc.client(session).add(1)).isEqualTo(2); // the answer has come, too
    return exposed;
  }

  private CompletableFuture<Long> holdTheOwnersLoop() throws InterruptedException {
    CompletableFuture<Long> holding = HouseRpc.async(session).add(-1).toCompletableFuture();
    assertThat(held.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return holding;
  }

  @Test
  void theOwnersLoopDoesNothingWhileReadsAndWritesGoOn() throws Exception {
    RegionRef region = reached().ref();
    CompletableFuture<Long> holding = holdTheOwnersLoop();
    byte[] bytes = new byte[100_000];
    for (int i = 0; i < 300; i++) {
      memory.set(JAVA_LONG, 8, i);
      MemorySegment word = arena.allocate(8, 8);
      get(session.regions().get(region, 8, word));
      assertThat(word.get(JAVA_LONG, 0)).isEqualTo(i);
      get(
          session
              .regions()
              .put(
                  region,
                  List.of(
                      new RegionPiece(16, MemorySegment.ofArray(new long[] {i + 7})),
                      new RegionPiece(1000, MemorySegment.ofArray(bytes)))));
      assertThat(memory.get(JAVA_LONG, 16)).isEqualTo(i + 7);
      assertThat(memory.asSlice(1000, bytes.length).mismatch(MemorySegment.ofArray(bytes)))
          .isEqualTo(-1);
      bytes[i] = (byte) (i + 1);
    }
    assertThat(holding).isNotDone();
    goesOn.countDown();
    assertThat(get(holding)).isZero();
  }

  @Test
  void atomicsGoByTheOwnersLoopAndSeeWhatWasWritten() throws Exception {
    RegionRef region = reached().ref();
    get(session.regions().put(region, 0, MemorySegment.ofArray(new long[] {41})));
    assertThat(get(session.regions().getAndAdd(region, 0, 1))).isEqualTo(41);
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    get(session.regions().get(region, 0, word));
    assertThat(word.get(JAVA_LONG, 0)).isEqualTo(42);
  }

  @Test
  void aClosedRegionIsFencedAndItsLinkGoesOn() throws Exception {
    ExposedRegion exposed = reached();
    String path = session.path().toString();
    for (int i = 0; i < 50; i++) {
      CompletableFuture<Void> _ =
          session.regions().get(exposed.ref(), 0, MemorySegment.ofArray(new byte[60_000]));
    }
    exposed.close();
    get(exposed.ended());
    assertThat(western.counters().openBytes()).isZero();
    CompletableFuture<Void> late =
        session.regions().get(exposed.ref(), 0, MemorySegment.ofArray(new byte[8]));
    assertThat(late)
        .failsWithin(LONGEST)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> {
              assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE);
              assertThat(e.execution()).isEqualTo(Execution.NOT_EXECUTED);
            });
    assertThat(session.path().toString()).isEqualTo(path);
    assertThat(HouseRpc.client(session).add(5)).isEqualTo(6);
  }

  @Test
  void aRegionWhoseLeaseEndsIsFencedThoughThePeerDoesNothing() throws Exception {
    ExposedRegion exposed = reached();
    exposed.renew(Duration.ofMillis(10));
    get(exposed.ended());
    assertThat(western.counters().openBytes()).isZero();
    assertThat(HouseRpc.client(session).add(5)).isEqualTo(6);
  }

  @Test
  void aRegionWhoseMemoryIsFreedIsShutToTheDeviceSoon() throws Exception {
    Arena brief = Arena.ofShared();
    ExposedRegion exposed = reached(brief.allocate(4096, 8));
    brief.close(); // which its owner may not
    get(exposed.ended());
    assertThat(western.counters().openBytes()).isZero();
    assertThat(HouseRpc.client(session).add(5)).isEqualTo(6);
  }

  @Test
  void aRegionThatFoundNoPlaceIsOpenedWhenThereIsOne() throws Exception {
    ExposedRegion last = reached(memory.asSlice(0, 8));
    for (int i = 1; i < 64; i++) {
      last = owner.regions().expose(memory.asSlice(0, 8), ALL, LEASE);
      assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
      get(session.regions().get(last.ref(), 0, MemorySegment.ofArray(new byte[8])));
    }
    RegionRef more = owner.regions().expose(memory.asSlice(0, 4096), ALL, LEASE).ref();
    MemorySegment word = MemorySegment.ofArray(new byte[8]);
    assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
    get(session.regions().get(more, 0, word));
    assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
    assertThat(western.counters().openBytes()).isEqualTo(64 * 8);
    last.close();
    get(last.ended());
    await()
        .atMost(LONGEST)
        .untilAsserted(
            () -> {
              get(session.regions().get(more, 0, word));
              assertThat(western.counters().openBytes()).isEqualTo(63 * 8 + 4096);
            });
  }

  @Test
  void aFirstGetWhoseTimeIsShortHasTheRegionOpenedAllTheSame() throws Exception {
    reached(memory.asSlice(0, 8));
    RegionRef region = owner.regions().expose(memory, ALL, LEASE).ref();
    assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
    CompletableFuture<Long> holding = holdTheOwnersLoop();
    CompletableFuture<Void> hasty =
        session
            .regions()
            .withTimeout(Duration.ofMillis(50))
            .get(region, 0, MemorySegment.ofArray(new byte[8]));
    assertThat(hasty).failsWithin(LONGEST);
    Thread.sleep(50);
    goesOn.countDown();
    get(holding);
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> assertThat(western.counters().openBytes()).isEqualTo(memory.byteSize() + 8));
  }

  @Test
  void aRegionThatTakesLongToPinGoesByCalls(@TempDir Path directory) throws Exception {
    reached(memory.asSlice(0, 8));
    try (FileChannel file =
        FileChannel.open(
            directory.resolve("sparse"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      MemorySegment huge =
          file.map(FileChannel.MapMode.READ_WRITE, 0, (1L << 30) + 1, Arena.ofAuto());
      RegionRef region = owner.regions().expose(huge, ALL, LEASE).ref();
      assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
      for (int i = 0; i < 3; i++) {
        get(session.regions().put(region, 1L << 30, MemorySegment.ofArray(new byte[] {5})));
        assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
      }
      assertThat(huge.get(JAVA_BYTE, 1L << 30)).isEqualTo((byte) 5);
      assertThat(western.counters().openBytes()).isEqualTo(8);
    }
  }

  @Test
  void whatIsGivenUpBeforeItBeginsIsNotBegun() throws Exception {
    RegionRef region = reached().ref();
    Thread here = Thread.currentThread();
    AtomicInteger given = new AtomicInteger();
    for (int i = 0; i < 1_000 && given.get() < 100; i++) {
      CompletableFuture<Void> over = new CompletableFuture<>();
      CompletableFuture<Void> _ =
          session
              .regions()
              .get(region, 8, MemorySegment.ofArray(new long[1]))
              .thenRun(
                  () -> {
                    // On the loop, which so cannot begin before it is given up; but here, where
                    // the loop was quicker than this thread.
                    if (Thread.currentThread() != here) {
                      MemorySegment value = MemorySegment.ofArray(new long[] {1});
                      CompletableFuture<Void> put = session.regions().put(region, 0, value);
                      put.cancel(true);
                      given.incrementAndGet();
                    }
                    over.complete(null);
                  });
      get(over);
    }
    assertThat(given).hasPositiveValue();
    get(session.regions().get(region, 8, MemorySegment.ofArray(new long[1])));
    assertThat(memory.get(JAVA_LONG, 0)).isZero();
  }

  @Test
  void readsGoOnOverTcpWhenTheDeviceIsGoneAndReturnToIt() throws Exception {
    RegionRef region = reached().ref();
    memory.fill((byte) 3);
    for (int i = 0; i < 600; i++) {
      MemorySegment into = MemorySegment.ofArray(new byte[5_000]);
      if (i == 100) {
        east.removeDevice();
      }
      if (i == 400) {
        east.restoreDevice();
        awaitPath("rdma");
      }
      get(session.regions().get(region, i, into));
      assertThat(into.toArray(JAVA_BYTE)).containsOnly(3);
    }
  }

  /** Its device waits for a peer that does not answer, and its loop for the device. */
  @Test
  void whatIsAskedWhileAClosedServersLinksLeaveFailsBeforeTheyHaveLeft() throws Exception {
    RegionRef region = session.regions().expose(memory, ALL, LEASE).ref();
    fabric.cut(east, west);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
    await().atMost(LONGEST).until(() -> owner.state() == SessionState.ENDED);
    List<CompletableFuture<Long>> waiting = new ArrayList<>();
    while (!closing.isDone()) {
      waiting.removeIf(CompletableFuture::isDone);
      assertThat(waiting).as("requests that wait").hasSizeLessThan(50);
      waiting.add(owner.regions().getAndAdd(region, 0, 1));
      Thread.sleep(10);
    }
    for (CompletableFuture<Long> last : waiting) {
      assertThat(last).failsWithin(LONGEST);
    }
    assertThat(memory.get(JAVA_LONG, 0)).isZero();
  }

  @Test
  void aWriteWhoseLinkIsLostIsUnknownOrDone() throws Exception {
    RegionRef region = reached().ref();
    fabric.cut(east, west);
    CompletableFuture<Void> put =
        session
            .regions()
            .withTimeout(LONGEST)
            .put(region, 0, MemorySegment.ofArray(new long[] {5}));
    assertThat(put)
        .failsWithin(LONGEST)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> {
              assertThat(e.status()).as(e.getMessage()).isEqualTo(RpcStatus.UNAVAILABLE);
              assertThat(e.execution()).isEqualTo(Execution.UNKNOWN);
            });
    fabric.heal(east, west);
    awaitPath("rdma");
    get(session.regions().put(region, 0, MemorySegment.ofArray(new long[] {6})));
    assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(6);
  }
}
