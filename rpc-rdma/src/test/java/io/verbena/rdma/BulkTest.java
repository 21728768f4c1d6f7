package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.rdma.wire.Immediate;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedLinks;
import io.verbena.verbs.fabric.DeviceProfile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The behaviour of bulk over RDMA beyond that of every link. */
final class BulkTest {
  private static final LinkOptions OPTIONS = LinkOptions.of(64 << 10, Duration.ofSeconds(2), null);
  private static final int CHUNK = FabricLinkHarness.SETTINGS.bulkChunkBytes();

  private final Arena arena = Arena.ofShared();
  private FabricLinkHarness harness;
  private SteppedLinks links;
  private LinkEnd client;
  private LinkEnd server;

  @SuppressWarnings("NullAway.Init") // by open
  BulkTest() {}

  @BeforeEach
  void open() throws LinkException {
    harness = new FabricLinkHarness(Seed.random("bulk").nextLong(), DeviceProfile.full());
    links = new SteppedLinks(harness, OPTIONS, OPTIONS);
    SteppedLinks.Pair pair = links.open();
    client = pair.client();
    server = pair.server();
  }

  @AfterEach
  void closeAndLeaveNothing() {
    links.close();
    arena.close();
    harness.close();
    assertThat(clientCounts().openBytes() + serverCounts().openBytes()).isZero();
    assertThat(clientCounts().quarantinedBytes() + serverCounts().quarantinedBytes()).isZero();
  }

  private RdmaCounters.Snapshot clientCounts() {
    return harness.east.counters();
  }

  private RdmaCounters.Snapshot serverCounts() {
    return harness.west.counters();
  }

  private static BulkPort port(LinkEnd end) {
    BulkPort port = end.link().bulk();
    if (port == null) {
      throw new AssertionError("no bulk");
    }
    return port;
  }

  private BulkRegion region(LinkEnd end, long bytes) throws LinkException {
    return port(end).attach(arena.allocate(bytes, 8), MemoryLife.HELD);
  }

  private BulkTarget target(long bytes, List<Long> arrived) throws LinkException {
    BulkTarget target = port(server).open(region(server, bytes), 0, bytes, arrived::add);
    harness.targetOpened();
    return target;
  }

  private RemoteTarget remote(BulkTarget target) throws LinkException {
    return port(client).remote(ByteBuffer.wrap(target.advertisement()));
  }

  private void write(RemoteTarget to, long at, BulkRegion from, int length, boolean checkpoint) {
    SendResult result = port(client).write(to, at, from, at, length, checkpoint, () -> {});
    assertThat(result).isEqualTo(SendResult.SENT);
  }

  @Test
  void chunksBetweenCheckpointsCostNoCreditUpToManyMiB() throws LinkException {
    List<Long> arrived = new ArrayList<>();
    int most = Immediate.MOST_UNITS + 1;
    long length = (most + 5L) * CHUNK;
    BulkRegion source = region(client, length);
    RemoteTarget to = remote(target(length, arrived));
    for (int i = 0; i < most + 5; i++) {
      long at = (long) i * CHUNK;
      boolean last = i == most + 4;
      links.stepUntil(
          "room in the queue",
          () -> port(client).write(to, at, source, at, CHUNK, last, () -> {}) == SendResult.SENT);
    }
    links.stepUntil("all to arrive", () -> arrived.contains(length));
    assertThat(arrived)
        .as("as many as an immediate tells of, then the rest")
        .containsExactly((long) most * CHUNK, length);
  }

  @Test
  void whoFailsWhenItsTargetIsFencedKeepsNoOtherFromIt() throws LinkException {
    boolean[] fenced = new boolean[1];
    target(10, new ArrayList<>())
        .close(
            () -> {
              throw new IllegalStateException("by the test");
            });
    target(10, new ArrayList<>()).close(() -> fenced[0] = true);
    client.link().abort("by the test");
    links.stepUntil("the end", () -> server.heard().isClosed());
    assertThat(fenced[0]).isTrue();
    assertThat(serverCounts().quarantinedBytes()).isZero();
    assertThat(serverCounts().openBytes()).isZero();
  }

  @Test
  void oneWayBulkGoesOnForEverThoughImmediatesReturnNoCredit() throws LinkException {
    List<Long> arrived = new ArrayList<>();
    int pieces = 40 * FabricLinkHarness.SETTINGS.credits();
    BulkRegion source = region(client, pieces);
    RemoteTarget to = remote(target(pieces, arrived));
    long[] at = new long[1];
    links.stepUntil(
        "all to arrive",
        () -> {
          while (at[0] < pieces
              && port(client).write(to, at[0], source, at[0], 1, true, () -> {})
                  == SendResult.SENT) {
            at[0]++;
          }
          return arrived.contains((long) pieces);
        });
    assertThat(arrived).hasSize(pieces);
  }

  @Test
  void leavesCreditToFrames() throws LinkException {
    server.link().setReceiving(false);
    BulkRegion source = region(client, 1000);
    RemoteTarget to = remote(target(1000, new ArrayList<>()));
    long[] at = new long[1];
    for (int i = 0; i < 1000; i++) {
      if (port(client).write(to, at[0], source, at[0], 1, true, () -> {}) == SendResult.SENT) {
        at[0]++;
      }
      links.step();
    }
    assertThat(at[0]).isLessThan(FabricLinkHarness.SETTINGS.credits());
    client.sendNow(new byte[10]);
    server.link().setReceiving(true);
    links.stepUntil("the frame", () -> server.heard().frames().size() == 1);
  }

  @Test
  void aClosedTargetIsQuarantinedUntilItsWriterLeavesItAlone() throws LinkException {
    BulkTarget target = target(3000, new ArrayList<>());
    assertThat(serverCounts().openBytes()).isEqualTo(3000);
    boolean[] fenced = new boolean[1];
    target.close(() -> fenced[0] = true);
    assertThat(fenced[0]).isFalse();
    assertThat(serverCounts().quarantinedBytes()).isEqualTo(3000);
    for (int i = 0; i < 2000; i++) {
      links.server().poll(); // the client stands still
    }
    assertThat(fenced[0]).isFalse();
    links.stepUntil("the fence", () -> fenced[0]);
    assertThat(serverCounts().quarantinedBytes()).isZero();
  }

  @Test
  void whatIsWrittenToARevokedTargetGoesNowhere() throws LinkException {
    List<Long> arrived = new ArrayList<>();
    BulkRegion source = region(client, 3000);
    BulkTarget target = target(3000, arrived);
    boolean[] fenced = new boolean[1];
    target.close(() -> fenced[0] = true);
    links.stepUntil("the fence", () -> fenced[0]);
    RemoteTarget to = remote(target); // what tells of a target may come after its revocation
    boolean[] written = new boolean[1];
    SendResult result = port(client).write(to, 0, source, 0, 3000, true, () -> written[0] = true);
    assertThat(result).isEqualTo(SendResult.SENT);
    links.stepUntil("the memory to be free again", () -> written[0]);
    assertThat(arrived).isEmpty();
  }

  /** So many that the names of targets, which are all of one slot, begin again. */
  @Test
  void aTargetIsNotTakenForOneThatWasRevokedLongBefore() throws LinkException {
    BulkRegion source = region(client, 8);
    boolean[] fenced = new boolean[1];
    BulkTarget revoked = target(8, new ArrayList<>());
    RemoteTarget _ = remote(revoked);
    revoked.close(() -> fenced[0] = true);
    links.stepUntil("the fence", () -> fenced[0]);
    for (int i = 0; i <= Immediate.EPOCHS; i++) {
      List<Long> arrived = new ArrayList<>();
      BulkTarget target = target(8, arrived);
      write(remote(target), 0, source, 8, true);
      links.stepUntil("target " + i + " to be full", () -> arrived.contains(8L));
      fenced[0] = false;
      target.close(() -> fenced[0] = true);
      links.stepUntil("its fence", () -> fenced[0]);
    }
  }

  @Test
  void aWriterThatDoesNotLeaveATargetAloneInTimeLosesItsLink() throws LinkException {
    boolean[] fenced = new boolean[1];
    target(3000, new ArrayList<>()).close(() -> fenced[0] = true);
    harness.world.pass(Duration.ofSeconds(31).toNanos());
    links.stepUntil(
        "the link to end",
        () -> {
          links.server().poll();
          return server.heard().isClosed();
        });
    assertThat(fenced[0]).isTrue();
  }

  @Test
  void memoryThatIsHeldIsRegisteredOnceAndItsPartsWithIt() throws LinkException {
    MemorySegment memory = arena.allocate(100_000, 8);
    port(client).attach(memory, MemoryLife.HELD).release();
    long pinned = harness.east.pinnedBytes();
    for (int i = 0; i < 10; i++) {
      port(client).attach(memory.asSlice(i * 1000L, 5000), MemoryLife.HELD).release();
    }
    assertThat(harness.east.pinnedBytes()).isEqualTo(pinned);
    assertThat(clientCounts().cacheMisses()).isEqualTo(1);
    assertThat(clientCounts().cacheHits()).isEqualTo(10);
    assertThat(clientCounts().cachedBytes()).isEqualTo(100_000);
  }

  @Test
  void neighboursOfOneLifeEndInOneRegistration() throws LinkException {
    MemorySegment memory = arena.allocate(100_000, 8);
    for (int i = 0; i < 10; i++) {
      port(client).attach(memory.asSlice(i * 10_000L, 10_000), MemoryLife.HELD).release();
    }
    assertThat(clientCounts().cachedBytes()).isEqualTo(100_000);
    port(client).attach(memory, MemoryLife.HELD).release();
    assertThat(clientCounts().cacheHits()).isEqualTo(1);
  }

  @Test
  void memoryThatIsUsedOnceIsUnpinnedWhenReleased() throws LinkException {
    long pinned = harness.east.pinnedBytes();
    BulkRegion region = port(client).attach(arena.allocate(50_000), MemoryLife.ONCE);
    assertThat(harness.east.pinnedBytes()).isEqualTo(pinned + 50_000);
    region.release();
    assertThat(harness.east.pinnedBytes()).isEqualTo(pinned);
  }

  @Test
  void memoryThatIsLentStaysPinnedUntilItsArenaIsClosed() throws LinkException {
    long pinned = harness.east.pinnedBytes();
    try (Arena users = Arena.ofShared()) {
      MemorySegment memory = users.allocate(50_000);
      for (int i = 0; i < 3; i++) {
        port(client).attach(memory, MemoryLife.LENT).release();
      }
      assertThat(clientCounts().cacheMisses()).isEqualTo(1);
      assertThat(clientCounts().cacheHits()).isEqualTo(2);
      assertThat(harness.east.pinnedBytes()).isEqualTo(pinned + 50_000);
    }
    links.stepUntil("it to be unpinned", () -> harness.east.pinnedBytes() == pinned);
  }

  @Test
  void memoryThatIsLentAndInUseStaysPinnedThoughItsArenaIsClosed() throws LinkException {
    long pinned = harness.east.pinnedBytes();
    Arena users = Arena.ofShared();
    BulkRegion region = port(client).attach(users.allocate(50_000), MemoryLife.LENT);
    users.close();
    port(client).attach(arena.allocate(1000), MemoryLife.ONCE).release(); // looks for what is dead
    assertThat(harness.east.pinnedBytes()).isEqualTo(pinned + 50_000);
    region.release();
    assertThat(harness.east.pinnedBytes()).isEqualTo(pinned);
  }

  @Test
  void anAddressThatHasOtherMemoryNowIsNoHit() throws LinkException {
    MemorySegment whole = arena.allocate(8192, 4096);
    try (Arena first = Arena.ofShared()) {
      port(client).attach(standIn(whole, first), MemoryLife.HELD).release();
    }
    try (Arena second = Arena.ofShared()) {
      port(client).attach(standIn(whole, second), MemoryLife.HELD).release();
      assertThat(clientCounts().cacheHits()).isZero();
      assertThat(clientCounts().cachedBytes()).as("the first is gone").isEqualTo(8192);
    }
  }

  /** Memory at the same address with the life of another arena. */
  private static MemorySegment standIn(MemorySegment memory, Arena life) {
    return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), life, null);
  }

  @Test
  void theLeastRecentlyUsedGoesWhenHalfOfTheBudgetIsIdle() throws LinkException {
    long quarter = FabricLinkHarness.SETTINGS.maxPinnedBytes() / 4;
    MemorySegment[] memory = new MemorySegment[3];
    for (int i = 0; i < 3; i++) {
      memory[i] =
          MemorySegment.ofAddress((1L << 40) + i * 2L * quarter)
              .reinterpret(quarter); // the fabric never touches it
      port(client).attach(memory[i], MemoryLife.HELD).release();
    }
    assertThat(clientCounts().cacheEvictions()).isEqualTo(1);
    port(client).attach(memory[1], MemoryLife.HELD).release();
    port(client).attach(memory[2], MemoryLife.HELD).release();
    assertThat(clientCounts().cacheHits()).isEqualTo(2);
    port(client).attach(memory[0], MemoryLife.HELD).release();
    assertThat(clientCounts().cacheHits()).as("the first had gone").isEqualTo(2);
  }

  @Test
  void moreThanTheBudgetIsRefusedWithTheCure() {
    MemorySegment huge =
        MemorySegment.ofAddress(1L << 40)
            .reinterpret(FabricLinkHarness.SETTINGS.maxPinnedBytes() + 1);
    assertThatThrownBy(() -> port(client).attach(huge, MemoryLife.HELD))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("maxPinnedBytes");
  }

  @Test
  void heapMemoryIsRefused() {
    assertThatThrownBy(
            () -> port(client).attach(MemorySegment.ofArray(new byte[10]), MemoryLife.HELD))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("native");
  }
}
