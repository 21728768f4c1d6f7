package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.VerbsCounts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions upgrade to RDMA by themselves, go back when it fails, and lose nothing by it. */
final class SessionOverRdmaTest extends Adapters {
  private static final Duration TOLERATED =
      SessionLimits.DEFAULT.deadAfter().minus(SessionLimits.DEFAULT.pingInterval());

  /** Less than the longest object here; large memory is registered piece by piece. */
  private static final RdmaSettings SETTINGS = RdmaSettings.DEFAULT.withMaxPinnedBytes(40L << 20);

  /** So many control messages more may be sent: by chance some go alone, or with others. */
  private static final int CONTROL_SENDS = 10;

  /** So many links end by what either end of the oddest device finds out. */
  private static final int LESSONS = 4;

  private static final int OTHER_BYTES = 100_000;

  /** Several windows' worth. */
  private static final int OBJECT_BYTES = 10 << 20;

  private final SteppedWorld world = new SteppedWorld().withoutWaits();
  private final FabricWorld verbs =
      new FabricWorld(Seed.random("sessions over a fabric").nextLong(), device(), world.clock());
  private final RdmaUpgradeProvider east =
      new RdmaUpgradeProvider(new SteppedVerbs(verbs.east, verbs), SETTINGS, world.clock());
  private final RdmaUpgradeProvider west =
      new RdmaUpgradeProvider(new SteppedVerbs(verbs.west, verbs), SETTINGS, world.clock());
  private final Map<String, Integer> executions = new HashMap<>();
  private final List<String> order = new ArrayList<>();
  private PushHandler pushed = offer -> Landing.pooled(offer.length());
  private VerbenaServer server;
  private VerbenaClient client;
  private Session session;
  private long linksUntilUpgraded;

  @SuppressWarnings("NullAway.Init") // by open
  SessionOverRdmaTest() {}

  @BeforeEach
  void open() {
    server =
        world.server(
            settings ->
                settings
                    .serve(
                        Echo.bind(
                            text -> {
                              executions.merge(text, 1, Integer::sum);
                              order.add(text);
                            }))
                    .onSession(
                        accepted -> accepted.objects().onPush(offer -> pushed.offered(offer)))
                    .upgrades(new SteppedUpgrade(west, verbs)));
    client = world.client(settings -> settings.upgrades(new SteppedUpgrade(east, verbs)));
    session = client.session(world.address());
  }

  @AfterEach
  void closeAndLeaveNothing() {
    world.close();
    assertThat(east.pinnedBytes() + west.pinnedBytes()).as("registered bytes left").isZero();
  }

  private String call(String text) {
    return world.result(Echo.call(session, text));
  }

  private void upgraded() {
    call("first");
    untilOverRdma();
    if (!keepsItsLinks(adapter)) {
      Source source = Source.of(new byte[OTHER_BYTES]);
      ObjectRef ref = server.publish(source, Duration.ofHours(1)).ref();
      for (int i = 0; i < LESSONS; i++) {
        whole(other());
        whole(session.objects().fetch(ref, Landing.pooled(OTHER_BYTES)));
        untilOverRdma();
        world.pass(Duration.ofSeconds(61)); // so a link that is lost is asked for again soon
      }
    }
    linksUntilUpgraded = east.counters().linksOpened();
  }

  private void untilOverRdma() {
    world.runUntil(() -> session.path().link().equals("rdma"));
  }

  @Test
  void aSessionUpgradesByItselfAndSaysSo() {
    upgraded();
    assertThat(session.path().toString()).isEqualTo("rdma (fab1 at 10.9.0.1)");
    assertThat(call("second")).isEqualTo("second");
    assertThat(east.counters().linksOpened()).isEqualTo(linksUntilUpgraded);
  }

  /** The loops are stepped, and no handler is given a thread. */
  @Test
  void aHandlerBesideTheLoopHoldsUpNoCallWhoseHandlerRunsOnIt() {
    upgraded();
    CompletableFuture<String> waits = Echo.call(session, Echo.BESIDE_THE_LOOP, "waits");
    CompletableFuture<String> goesOn = Echo.call(session, "goes on");
    for (int i = 0; i < 100_000 && !goesOn.isDone(); i++) {
      world.step();
      world.clock().advance(Duration.ofNanos(10_000));
    }
    assertThat(goesOn).isCompletedWithValue("goes on");
    assertThat(session.path().link()).isEqualTo("rdma");
    assertThat(executions).doesNotContainKey("waits");
    world.runUntil(waits::isDone);
    assertThat(waits).isCompletedWithValue("waits");
    assertThat(executions).containsEntry("waits", 1);
  }

  @Test
  void messagesOfAnySizeKeepTheirOrderAcrossTheChange() {
    List<String> sent = new ArrayList<>();
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String text = "n" + i + (i % 17 == 0 ? "x".repeat(100_000) : "");
      sent.add(text);
      calls.add(Echo.call(session, text));
      world.step();
    }
    world.runUntil(() -> calls.stream().allMatch(CompletableFuture::isDone));
    assertThat(order).isEqualTo(sent);
    upgraded();
  }

  @Test
  void anObjectLongerThanMayBePinnedArrivesPieceByPiece() {
    upgraded();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment object = arena.allocate(48L << 20);
      for (long at = 0; at < object.byteSize(); at += 4096) {
        object.set(ValueLayout.JAVA_LONG, at, at);
      }
      MemorySegment arrived = arena.allocate(object.byteSize());
      pushed = offer -> Landing.of(arrived);
      CompletableFuture<?> push =
          session.objects().push("large", Source.of(object)).result().toCompletableFuture();
      world.runUntil(push::isDone);
      assertThat(push).isCompleted();
      assertThat(arrived.mismatch(object)).isEqualTo(-1);
    }
    assertThat(session.path().link()).isEqualTo("rdma");
  }

  @Test
  void theSameMemoryIsRegisteredForItsFirstObjectOnly() {
    upgraded();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment object = arena.allocate(OBJECT_BYTES);
      MemorySegment arrived = arena.allocate(OBJECT_BYTES);
      ObjectRef ref = published(object);
      pushedAndFetched(object, ref, arrived);
      long registered = registered();
      pushedAndFetched(object, ref, arrived);
      assertThat(registered()).isEqualTo(registered);
    }
    world.pass(Duration.ofSeconds(1));
    assertThat(east.counters().cachedBytes()).as("what the arena had").isZero();
  }

  private void pushedAndFetched(MemorySegment object, ObjectRef ref, MemorySegment arrived) {
    whole(session.objects().push("into pooled memory", Source.of(object)));
    whole(session.objects().fetch(ref, Landing.of(arrived)));
  }

  private long registered() {
    return east.counters().cacheMisses() + west.counters().cacheMisses();
  }

  @Test
  void aSourceThatIsFreedTooEarlyFailsItsPushAloneAndTheLinkStays() {
    upgraded();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment object = arena.allocate(OBJECT_BYTES);
      whole(session.objects().push("sound", Source.of(object)));
      long pinned = pinned();
      Arena brief = Arena.ofShared();
      Transfer push = session.objects().push("brief", Source.of(inside(object, brief)));
      freedHalfWay(brief, push);
      assertNoMorePinned(pinned);
    }
  }

  @Test
  void aPublishedSourceThatIsFreedTooEarlyFailsItsFetchAloneAndTheLinkStays() {
    upgraded();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment object = arena.allocate(OBJECT_BYTES);
      MemorySegment arrived = arena.allocate(OBJECT_BYTES);
      whole(session.objects().fetch(published(object), Landing.of(arrived)));
      long pinned = pinned();
      Arena brief = Arena.ofShared();
      ObjectRef ref = published(inside(object, brief));
      freedHalfWay(brief, session.objects().fetch(ref, Landing.of(arrived)));
      assertNoMorePinned(pinned);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLandingThatIsFreedTooEarlyFailsItsFetchAloneAndTheLinkStays(boolean checked) {
    TransferOptions options =
        checked ? TransferOptions.DEFAULT.withChecksum() : TransferOptions.DEFAULT;
    upgraded();
    try (Arena arena = Arena.ofShared()) {
      ObjectRef ref = published(arena.allocate(OBJECT_BYTES));
      MemorySegment into = arena.allocate(OBJECT_BYTES);
      whole(session.objects().fetch(ref, Landing.of(into)));
      long pinned = pinned();
      Arena brief = Arena.ofShared();
      freedHalfWay(brief, session.objects().fetch(ref, Landing.of(inside(into, brief)), options));
      assertNoMorePinned(pinned);
    }
  }

  @Test
  void theEndThatDidNotBeginATransferMayCancelItAndTheLinkStays() {
    upgraded();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment object = arena.allocate(OBJECT_BYTES);
      MemorySegment into = arena.allocate(OBJECT_BYTES);
      List<Transfer> there = new ArrayList<>();
      pushed =
          offer -> {
            there.add(offer.transfer());
            return offer.name().equals("unwanted")
                ? Landing.of(into)
                : Landing.pooled(offer.length());
          };
      Transfer push = session.objects().push("unwanted", Source.of(object));
      cancelledHalfWay(push, () -> there.getFirst(), into);
      Published published = server.publish(Source.of(object), Duration.ofMinutes(1));
      Transfer fetch = session.objects().fetch(published.ref(), Landing.of(into));
      cancelledHalfWay(fetch, () -> published.fetches().getFirst().transfer(), into);
      assertThat(published.fetches()).isEmpty();
    }
  }

  private void cancelledHalfWay(
      Transfer transfer, Supplier<Transfer> otherEnd, MemorySegment into) {
    halfWay(transfer);
    otherEnd.get().cancel();
    assertThat(failed(transfer))
        .hasMessageContaining("CANCELLED: on the other end: it was cancelled")
        .extracting(TransferException::offset)
        .matches(offset -> offset > 0 && offset < OBJECT_BYTES);
    assertAllIsWell();
    into.fill((byte) 0x55);
    whole(other());
    for (long at = 0; at < OBJECT_BYTES; at += 512) {
      assertThat(into.get(ValueLayout.JAVA_BYTE, at)).isEqualTo((byte) 0x55);
    }
  }

  /**
   * Returns the memory with the life of another arena: when that ends, its pages stay for the
   * fabric as they stay for a device, which has them pinned.
   */
  private static MemorySegment inside(MemorySegment memory, Arena life) {
    return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), life, null);
  }

  private ObjectRef published(MemorySegment memory) {
    return server.publish(Source.of(memory), Duration.ofMinutes(1)).ref();
  }

  private Received whole(Transfer transfer) {
    return world.result(transfer.result());
  }

  /** Checks that no object is pinned beyond; a link's own pools may have grown. */
  private void assertNoMorePinned(long before) {
    assertThat(pinned()).isBetween(before, before + OBJECT_BYTES / 2);
  }

  /** Pools and caches grow with the first of its kind; after that, what is pinned is the same. */
  private long pinned() {
    whole(other());
    world.pass(Duration.ofMillis(50));
    return east.pinnedBytes() + west.pinnedBytes();
  }

  private Transfer other() {
    return session.objects().push("other", Source.of(new byte[OTHER_BYTES]));
  }

  private void freedHalfWay(Arena brief, Transfer transfer) {
    CompletableFuture<String> call = Echo.call(session, "meanwhile");
    Transfer other = other();
    halfWay(transfer);
    brief.close();
    assertThat(failed(transfer)).hasMessageContaining("close its arena later");
    whole(other);
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("meanwhile");
    assertAllIsWell();
  }

  private void halfWay(Transfer transfer) {
    for (int i = 0; i < 10_000 && transfer.progress().bytes() == 0; i++) {
      world.step();
      world.runHandlers();
      world.clock().advance(Duration.ofNanos(10_000));
    }
    assertThat(transfer.progress().bytes()).isPositive().isLessThan(OBJECT_BYTES);
  }

  private TransferException failed(Transfer transfer) {
    CompletableFuture<Received> outcome = transfer.result().toCompletableFuture();
    world.runUntil(outcome::isDone);
    return (TransferException) outcome.exceptionNow();
  }

  /** The link is the same, and nothing is under way, open or quarantined. */
  private void assertAllIsWell() {
    assertThat(call("afterwards")).isEqualTo("afterwards");
    assertThat(session.path().link()).isEqualTo("rdma");
    assertThat(east.counters().linksOpened())
        .as("one link all the time")
        .isEqualTo(linksUntilUpgraded);
    world.pass(Duration.ofMillis(50));
    for (BulkStats stats : List.of(client.bulkStats(), server.bulkStats())) {
      assertThat(stats.sending() + stats.receiving()).as("under way").isZero();
      assertThat(stats.quarantined()).as("quarantined").isZero();
    }
    for (RdmaCounters.Snapshot counts : List.of(east.counters(), west.counters())) {
      assertThat(counts.openBytes()).as("open to peers").isZero();
      assertThat(counts.quarantinedBytes()).as("quarantined by the link").isZero();
    }
  }

  @Test
  void aRemovedDeviceLeavesTheSessionOnItsFirstLinkAndComesBack() {
    upgraded();
    verbs.west.removeDevice();
    assertThat(call("without")).isEqualTo("without");
    world.runUntil(() -> !session.path().link().equals("rdma"));
    verbs.west.restoreDevice();
    world.runUntil(() -> session.path().link().equals("rdma"));
    assertThat(call("again")).isEqualTo("again");
    assertThat(executions.values()).containsOnly(1);
  }

  /** A new link would show a loss here, such as one of kept registrations. */
  @Test
  void afterFlapsCallsAndObjectsCostWhatTheyDidAndRdmaIsBackAsSoon() {
    assumeTrue(keepsItsLinks(adapter), "a device that is back is found out again");
    upgraded();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment object = arena.allocate(OBJECT_BYTES);
      MemorySegment arrived = arena.allocate(OBJECT_BYTES);
      MemorySegment pushedTo = arena.allocate(OBJECT_BYTES);
      pushed = offer -> Landing.of(pushedTo);
      List<VerbsCounts> before = cost(object, arrived);
      for (int flap = 1; flap <= 6; flap++) {
        world.pass(Duration.ofSeconds(61)); // so it is asked for again soon
        verbs.west.removeDevice();
        world.runUntil(() -> !session.path().link().equals("rdma"));
        verbs.west.restoreDevice();
        long back = world.clock().nanoTime();
        world.runUntil(() -> session.path().link().equals("rdma"));
        assertThat(Duration.ofNanos(world.clock().nanoTime() - back))
            .as("without RDMA after flap %d", flap)
            .isLessThan(Duration.ofMillis(1_200));
        List<VerbsCounts> after = cost(object, arrived);
        for (int end = 0; end < 2; end++) {
          VerbsCounts was = before.get(end);
          VerbsCounts is = after.get(end);
          assertThat(List.of(is.writes(), is.binds(), is.invalidations(), is.others()))
              .as("WRITEs, binds, invalidations and others of end %d after flap %d", end, flap)
              .containsExactly(was.writes(), was.binds(), was.invalidations(), was.others());
          assertThat(is.sends())
              .as("Sends of end %d after flap %d", end, flap)
              .isLessThanOrEqualTo(was.sends() + CONTROL_SENDS);
        }
      }
    }
  }

  /** Of both ends, in the second of two rounds; the first makes what is kept. */
  private List<VerbsCounts> cost(MemorySegment object, MemorySegment arrived) {
    ObjectRef ref = published(object);
    round(object, ref, arrived);
    VerbsCounts east = verbs.east.counts();
    VerbsCounts west = verbs.west.counts();
    round(object, ref, arrived);
    return List.of(verbs.east.counts().since(east), verbs.west.counts().since(west));
  }

  private void round(MemorySegment object, ObjectRef ref, MemorySegment arrived) {
    for (int i = 0; i < 50; i++) {
      assertThat(call("n" + i)).isEqualTo("n" + i);
    }
    whole(session.objects().push("large", Source.of(object)));
    whole(session.objects().fetch(ref, Landing.of(arrived)));
  }

  @Test
  void aCutLinkIsNoticedByTheNextCallWhichIsSettledAndGoesOn() {
    upgraded();
    verbs.fabric.cut(verbs.east, verbs.west);
    long before = world.clock().nanoTime();
    assertThat(call("into silence")).isEqualTo("into silence");
    assertThat(world.clock().nanoTime() - before).isLessThan(Duration.ofMillis(4_700).toNanos());
    assertThat(session.path().reason()).contains("rdma lost");
    assertThat(executions).containsEntry("into silence", 1);
    verbs.fabric.heal(verbs.east, verbs.west);
    world.runUntil(() -> session.path().link().equals("rdma"));
  }

  /** The device acknowledges for it, and the keepalive has more patience than that. */
  @Test
  void aPauseOfThePeersProcessDoesNotChangeThePath() {
    upgraded();
    for (int pauses = 0; pauses < 3; pauses++) {
      CompletableFuture<String> call = Echo.call(session, "paused " + pauses);
      world.pauseServer(true);
      world.pass(TOLERATED);
      assertThat(call).isNotDone();
      world.pauseServer(false);
      world.runUntil(call::isDone);
      world.pass(Duration.ofSeconds(1));
    }
    assertThat(session.path().link()).isEqualTo("rdma");
    assertThat(east.counters().linksOpened())
        .as("one link all the time")
        .isEqualTo(linksUntilUpgraded);
    assertThat(executions.values()).containsOnly(1);
  }

  @Test
  void aPeerThatStaysSilentIsGivenUpOnEveryLinkThoughItsDeviceAnswers() {
    upgraded();
    CompletableFuture<String> call = Echo.call(session, "nobody answers");
    world.pauseServer(true);
    world.pass(SessionLimits.DEFAULT.deadAfter().plus(SessionLimits.DEFAULT.pingInterval()));
    assertThat(session.path().link()).isEqualTo("none");
    world.runUntil(call::isDone);
    assertThat(((RpcException) call.exceptionNow()).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    world.pauseServer(false);
    upgraded();
  }

  @Test
  void nothingIsLostAndNothingExecutedTwiceWhateverDiesWhen() {
    Random random = Seed.random("links of both kinds die at random");
    Map<String, CompletableFuture<String>> calls = new HashMap<>();
    for (int i = 0; i < 1_500; i++) {
      String text = i + "x".repeat(random.nextInt(30) == 0 ? random.nextInt(200_000) : 10);
      calls.put(text, Echo.call(session, text));
      for (int steps = random.nextInt(6); steps > 0; steps--) {
        world.step();
      }
      disturb(random);
      if (i % 20 == 0) {
        world.pass(Duration.ofMillis(random.nextInt(400)));
      }
    }
    verbs.fabric.heal(verbs.east, verbs.west);
    verbs.west.restoreDevice();
    world.runUntil(() -> calls.values().stream().allMatch(CompletableFuture::isDone));
    calls.forEach((text, call) -> assertTrue(text, call, executions.getOrDefault(text, 0)));
    upgraded();
  }

  /** A call fails only where the first link, too, was lost, and says truly what became of it. */
  private static void assertTrue(String text, CompletableFuture<String> call, int executed) {
    if (!call.isCompletedExceptionally()) {
      assertThat(call).isCompletedWithValue(text);
      assertThat(executed).isEqualTo(1);
      return;
    }
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(executed)
        .as(failure.toString())
        .isIn(
            switch (failure.execution()) {
              case NOT_EXECUTED -> List.of(0);
              case EXECUTED -> List.of(1);
              case UNKNOWN -> List.of(0, 1);
            });
  }

  private void disturb(Random random) {
    switch (random.nextInt(60)) {
      case 0 -> verbs.fabric.cut(verbs.east, verbs.west);
      case 1, 2, 3 -> verbs.fabric.heal(verbs.east, verbs.west);
      case 4 -> verbs.west.removeDevice();
      case 5, 6 -> verbs.west.restoreDevice();
      case 7 -> world.network().drop(URI.create(world.address()), "dropped by the test");
      default -> {}
    }
  }
}
