package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionPiece;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.ffm.FfmProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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

  /**
   * Over iWARP regions are reached by calls: there what is read into has to be open to the peer.
   */
  @Test
  void memoryIsReachedByTheDeviceWhileItsOwnersLoopStandsStill() throws Exception {
    boolean byDevice = !System.getenv("LAB_DEVICE").startsWith("siw");
    BlockingQueue<Session> owners = new LinkedBlockingQueue<>();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    House holding =
        new PlainHouse() {
          @Override
          public long add(long number) {
            if (number < 0) {
              held.countDown();
              await().atMost(PATIENCE).until(() -> goesOn.getCount() == 0);
            }
            return number + 1;
          }
        };
    onTheDevice(
        server -> server.serve(HouseRpc.bind(holding)).onSession(owners::add),
        (session, rdma) -> {
          MemorySegment memory = Arena.ofAuto().allocate(1 << 20, 8);
          ExposedRegion exposed =
              owners
                  .take()
                  .regions()
                  .expose(
                      memory, Regions.READ | Regions.WRITE | Regions.ATOMIC, Duration.ofMinutes(5));
          assertThat(HouseRpc.client(session).add(1)).isEqualTo(2); // its ref has come
          if (!byDevice) {
            reach(session, exposed.ref(), memory, 1);
          } else {
            await()
                .atMost(PATIENCE)
                .until(
                    () -> {
                      reach(session, exposed.ref(), memory, 1);
                      return rdma.counters().openBytes() == memory.byteSize();
                    });
            assertThat(HouseRpc.client(session).add(1)).isEqualTo(2); // and that it is open
            CompletableFuture<Long> stands = HouseRpc.async(session).add(-1).toCompletableFuture();
            assertThat(held.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            for (int i = 2; i < 100; i++) {
              reach(session, exposed.ref(), memory, i);
            }
            assertThat(stands).isNotDone();
            goesOn.countDown();
            assertThat(done(stands)).isZero();
          }
          memory.set(ValueLayout.JAVA_LONG, 0, 7);
          Regions regions = session.regions();
          assertThat(done(regions.compareAndSet(exposed.ref(), 0, 6, 8))).isFalse();
          assertThat(done(regions.compareAndExchange(exposed.ref(), 0, 7, 8))).isEqualTo(7);
          assertThat(done(regions.getAndAdd(exposed.ref(), 0, 2))).isEqualTo(8);
          assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(10);
          exposed.close();
          done(exposed.ended());
          assertThat(rdma.counters().openBytes()).isZero();
          assertThat(regions.get(exposed.ref(), 0, MemorySegment.ofArray(new byte[8])))
              .failsWithin(PATIENCE);
          assertThat(HouseRpc.client(session).add(1)).isEqualTo(2);
        });
  }

  /** Writes and reads a batch, and all of the memory. */
  private static void reach(Session session, RegionRef ref, MemorySegment memory, long round)
      throws Exception {
    byte[] bytes = new byte[50_000];
    Arrays.fill(bytes, (byte) round);
    MemorySegment word = MemorySegment.ofArray(new long[] {round});
    done(
        session
            .regions()
            .put(
                ref,
                List.of(
                    new RegionPiece(1_003, MemorySegment.ofArray(bytes)),
                    new RegionPiece(8, word))));
    assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(round);
    MemorySegment version = MemorySegment.ofArray(new long[1]);
    MemorySegment whole = MemorySegment.ofArray(new byte[(int) memory.byteSize() - 8]);
    done(
        session
            .regions()
            .get(ref, List.of(new RegionPiece(8, version), new RegionPiece(0, whole))));
    assertThat(version.mismatch(word)).isEqualTo(-1);
    assertThat(whole.mismatch(memory.asSlice(0, whole.byteSize()))).isEqualTo(-1);
  }

  private static <T> T done(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** An action of a test with a session over the device. */
  private interface Use {
    void of(Session session, RdmaUpgradeProvider rdma) throws Exception;
  }

  private static void onTheDevice(ServiceBinding served, Use use) throws Exception {
    onTheDevice(server -> server.serve(served), use);
  }

  private static void onTheDevice(Consumer<VerbenaServer.Builder> onServer, Use use)
      throws Exception {
    RdmaUpgradeProvider rdma =
        new RdmaUpgradeProvider(new FfmProvider(), RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    VerbenaServer.Builder building = VerbenaServer.builder();
    onServer.accept(building);
    try (VerbenaServer server =
            building
                .largeValueBytes(CUT_OFF_BYTES)
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
