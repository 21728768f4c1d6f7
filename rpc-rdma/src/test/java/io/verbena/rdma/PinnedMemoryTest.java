package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory of the user's is pinned when that pays, and for as long as it is lent. */
final class PinnedMemoryTest {
  private static final int BYTES = 3 << 20;
  private static final Duration LEASE = Duration.ofSeconds(3);

  /** Looks for what may not stay are half a second apart. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private static RdmaWorld world(Windows windows) {
    return new RdmaWorld(DeviceProfile.full().withWindows(windows)).upgraded();
  }

  private static Published publish(RdmaWorld world, MemorySegment memory) {
    return world.server.publish(Source.of(memory), LEASE);
  }

  private static Transfer fetching(RdmaWorld world, Published published) {
    return world.session.objects().fetch(published.ref(), Landing.pooled(published.ref().length()));
  }

  private static void fetch(RdmaWorld world, Published published) {
    world.whole(fetching(world, published));
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void whatAPublishedObjectHasPinnedIsGivenBackWithIt(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      long before = world.west.pinnedBytes();
      Published published = publish(world, world.memory(BYTES));
      fetch(world, published);
      world.world.pass(LEASE.dividedBy(2));
      assertThat(world.west.pinnedBytes()).as("between fetches").isEqualTo(before + BYTES);
      fetch(world, published);
      published.close();
      world.world.pass(SOON);
      assertThat(world.west.pinnedBytes()).as("taken back").isEqualTo(before);
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void whatAPublishedObjectHasPinnedIsGivenBackAtTheEndOfItsLease(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      long before = world.west.pinnedBytes();
      Published published =
          world.server.publish(
              Source.gathered(
                  Source.of(world.memory(BYTES)),
                  Source.of(new byte[0]),
                  Source.of(world.memory(BYTES))),
              LEASE);
      fetch(world, published);
      world.world.pass(LEASE.minus(SOON));
      assertThat(world.west.pinnedBytes()).as("within its lease").isEqualTo(before + 2 * BYTES);
      world.world.pass(SOON.multipliedBy(2));
      assertThat(published.isAvailable()).isFalse();
      assertThat(world.west.pinnedBytes()).as("after its lease").isEqualTo(before);
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void theEndOfALeaseGivesBackWhatIsPinnedForAPeerThatIsGone(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      Published published = publish(world, world.memory(BYTES));
      fetch(world, published);
      world.client.close();
      world.world.pass(SOON);
      // Without windows its link had a domain of its own, which went with it.
      boolean shared = windows == Windows.BOUNDED || windows == Windows.UNBOUNDED;
      assertThat(world.west.counters().cachedBytes())
          .as("its peer is gone")
          .isEqualTo(shared ? BYTES : 0);
      world.world.pass(LEASE);
      assertThat(published.isAvailable()).isFalse();
      assertThat(world.west.counters().cachedBytes()).as("after its lease").isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void anObjectThatIsTakenBackStaysPinnedForThoseWhoFetchIt(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      long before = world.west.pinnedBytes();
      Published published = publish(world, world.memory(BYTES));
      Transfer fetch = fetching(world, published);
      while (fetch.progress().bytes() == 0) {
        world.step();
      }
      published.close();
      assertThat(world.west.pinnedBytes()).as("under way").isEqualTo(before + BYTES);
      world.whole(fetch);
      world.world.pass(SOON);
      assertThat(world.west.pinnedBytes()).as("over").isEqualTo(before);
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void memoryThatIsPublishedTwiceStaysPinnedForTheOther(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      MemorySegment memory = world.memory(BYTES);
      Published first = publish(world, memory);
      Published second = publish(world, memory);
      fetch(world, first);
      fetch(world, second);
      long registered = world.west.counters().cacheMisses();
      first.close();
      world.world.pass(SOON);
      fetch(world, second);
      assertThat(world.west.counters().cacheMisses()).isEqualTo(registered);
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void memoryThatWasSentOtherwiseMeanwhileStaysPinned(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      MemorySegment memory = world.memory(BYTES);
      Published published = publish(world, memory);
      fetch(world, published);
      long pinned = world.west.pinnedBytes();
      world.push(world.accepted, Source.of(memory));
      published.close();
      world.world.pass(SOON);
      assertThat(world.west.pinnedBytes()).isEqualTo(pinned);
    }
  }

  @Test
  void whatStaysPinnedWithoutUseIsToldWithItsNumberBytesAndAge() {
    try (RdmaWorld world = world(Windows.BOUNDED)) {
      MemorySegment first = world.memory(BYTES);
      world.push(world.accepted, Source.of(first));
      world.world.pass(Duration.ofSeconds(3));
      world.push(world.accepted, Source.of(world.memory(BYTES)));
      world.world.pass(Duration.ofSeconds(2));
      assertIdle(world, 2, 2 * BYTES, 5);
      world.push(world.accepted, Source.of(first));
      world.world.pass(Duration.ofSeconds(1));
      assertIdle(world, 2, 2 * BYTES, 3);
    }
    try (RdmaWorld world = world(Windows.BOUNDED)) {
      assertIdle(world, 0, 0, 0);
    }
  }

  private static void assertIdle(RdmaWorld world, long registrations, long bytes, long seconds) {
    assertThat(world.west.figures())
        .containsEntry("registration cache idle", registrations)
        .containsEntry("registration cache bytes", bytes)
        .hasEntrySatisfying(
            "registration cache oldest s", age -> assertThat(age).isBetween(seconds, seconds + 1));
  }

  /** Half of what the system locks is idle by and by, and goes before anything is refused. */
  @ParameterizedTest
  @EnumSource(Windows.class)
  void objectsGoOnWhereTheSystemLocksLessThanTheBudget(Windows windows) {
    DeviceProfile profile = DeviceProfile.full().withWindows(windows).withMemlock(12 << 20);
    try (RdmaWorld world = new RdmaWorld(profile).upgraded()) {
      for (int i = 0; i < 8; i++) {
        Published published =
            world.server.publish(Source.of(world.memory(BYTES)), Duration.ofHours(1));
        fetch(world, published);
      }
      assertThat(world.west.counters().cacheEvictions()).isPositive();
      assertThat(world.west.counters().bulkBytes()).as("by RDMA").isEqualTo(8L * BYTES);
      assertThat(world.east.counters().linksOpened()).as("the link stood").isEqualTo(1);
    }
  }

  /** From there on a client's memory is pinned; a server has another cut-off. */
  private static final int CLIENTS = 100_000;

  private static final int SERVERS = 200_000;

  private static RdmaWorld withCutOffs() {
    return new RdmaWorld(
            DeviceProfile.full(),
            server -> server.pinCutOffBytes(SERVERS),
            client -> client.pinCutOffBytes(CLIENTS))
        .upgraded();
  }

  @Test
  void memoryOfAPushIsPinnedFromTheClientsCutOffOn() {
    try (RdmaWorld world = withCutOffs()) {
      assertPinnedFrom(
          CLIENTS, world.east, bytes -> world.push(world.session, Source.of(world.memory(bytes))));
    }
  }

  @Test
  void memoryOfAPublishedObjectIsPinnedFromTheServersCutOffOn() {
    try (RdmaWorld world = withCutOffs()) {
      assertPinnedFrom(
          SERVERS, world.west, bytes -> fetch(world, publish(world, world.memory(bytes))));
    }
  }

  private static void assertPinnedFrom(
      int cutOff, RdmaUpgradeProvider sender, IntConsumer sendsNewMemory) {
    sendsNewMemory.accept(cutOff - 1); // has blocks of the pool registered
    RdmaCounters.Snapshot before = sender.counters();
    long pinned = sender.pinnedBytes();
    for (int bytes : new int[] {cutOff - 1, cutOff - 1000, cutOff - 1}) {
      sendsNewMemory.accept(bytes);
    }
    assertThat(sender.counters().cacheMisses())
        .as("registered for memory below %d bytes", cutOff)
        .isEqualTo(before.cacheMisses());
    assertThat(sender.counters().cacheHits()).isGreaterThan(before.cacheHits());
    assertThat(sender.pinnedBytes()).isEqualTo(pinned);
    sendsNewMemory.accept(cutOff);
    sendsNewMemory.accept(10 * cutOff);
    assertThat(sender.counters().cacheMisses())
        .as("registered for memory from %d bytes on", cutOff)
        .isEqualTo(before.cacheMisses() + 2);
    assertThat(sender.pinnedBytes()).isEqualTo(pinned + 11L * cutOff);
  }
}
