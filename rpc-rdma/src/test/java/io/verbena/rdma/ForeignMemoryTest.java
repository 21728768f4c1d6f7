package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Memory of another library, which is known by its address alone, may be freed without a word, and
 * the address be another memory's: a registration of the one must never serve the other.
 */
final class ForeignMemoryTest {
  private static final int BYTES = 1 << 20;

  /** Receives of a link's own are posted, and keep the memory that they were once needed for. */
  private static final long SLOTS = 512 << 10;

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration SOON = Duration.ofSeconds(1);

  private static RdmaWorld world(Windows windows) {
    return new RdmaWorld(DeviceProfile.full().withWindows(windows)).upgraded();
  }

  /** As a library gives it: of the global scope. */
  private static MemorySegment foreign(MemorySegment memory) {
    return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
  }

  private static void assertNothingIsKept(RdmaWorld world, long pinned, String when) {
    world.world.pass(SOON); // its sender lets go a moment after its receiver
    assertThat(world.west.counters().cachedBytes()).as("cached, " + when).isZero();
    assertThat(world.west.pinnedBytes() - pinned).as("pinned, " + when).isLessThan(SLOTS);
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void memoryWithNoEndIsRegisteredForItsTransferAlone(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      long before = world.west.pinnedBytes();
      MemorySegment memory = foreign(world.memory(BYTES));
      world.push(world.accepted, Source.of(memory));
      assertNothingIsKept(world, before, "pushed");
      try (Published published = world.server.publish(Source.of(memory), LEASE)) {
        world.whole(world.session.objects().fetch(published.ref(), Landing.pooled(BYTES)));
        assertNothingIsKept(world, before, "fetched from");
      }
      world.accepted.objects().onPush(offer -> Landing.of(memory));
      world.push(world.session, Source.of(new byte[BYTES]));
      assertNothingIsKept(world, before, "landed in");
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void memoryWhoseEndIsGivenStaysRegisteredUntilThen(Windows windows) {
    Arena first = Arena.ofShared();
    Arena second = Arena.ofShared();
    try (RdmaWorld world = world(windows)) {
      long before = world.west.pinnedBytes();
      MemorySegment memory = foreign(world.memory(BYTES));
      world.push(world.accepted, Source.of(memory, first.scope()));
      long registered = world.west.counters().cacheMisses();
      world.push(world.accepted, Source.of(memory, first.scope()));
      assertThat(world.west.counters().cacheMisses()).as("used again").isEqualTo(registered);
      assertThat(world.west.pinnedBytes() - before).isBetween((long) BYTES, BYTES + SLOTS);
      // The same address, of another owner: not what was registered for the first.
      world.push(world.accepted, Source.of(memory, second.scope()));
      assertThat(world.west.counters().cacheMisses()).as("another's").isEqualTo(registered + 1);
      first.close();
      second.close();
      world.world.pass(SOON);
      assertNothingIsKept(world, before, "freed");
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void whatStandsAtTheAddressIsSentWhateverStoodThereBefore(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      MemorySegment memory = world.memory(BYTES);
      for (byte content = 1; content < 4; content++) {
        try (Arena owner = Arena.ofShared()) {
          memory.fill(content);
          MemorySegment into = world.memory(BYTES);
          world.session.objects().onPush(offer -> Landing.of(into));
          world.push(world.accepted, Source.of(foreign(memory), owner.scope()));
          assertThat(into.get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo(content);
        }
      }
    }
  }
}
