package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.DeviceProfile.Windows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The mapping of a file, which since Linux 6.5 a device may read, but not write. */
final class MappedFilesTest {
  private static final int BYTES = 3 << 20;

  private static RdmaWorld world(Windows windows) {
    return new RdmaWorld(DeviceProfile.full().withWindows(windows)).upgraded();
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void isSentAgainAndAgainAndRegisteredOnce(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      MemorySegment file = world.memory(BYTES).fill((byte) 7);
      world.verbs.west.mapFile(file);
      for (int i = 0; i < 3; i++) {
        MemorySegment into = world.memory(BYTES);
        world.session.objects().onPush(offer -> Landing.of(into));
        world.push(world.accepted, Source.of(file));
        assertThat(into.get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) 7);
      }
      assertThat(world.west.counters().cachedBytes()).isEqualTo(BYTES);
    }
  }

  @ParameterizedTest
  @EnumSource(Windows.class)
  void isNotLandedInAndTheLinkStays(Windows windows) {
    try (RdmaWorld world = world(windows)) {
      MemorySegment file = world.memory(BYTES);
      world.verbs.west.mapFile(file);
      world.accepted.objects().onPush(offer -> Landing.of(file));
      assertThatThrownBy(() -> world.push(world.session, Source.of(new byte[BYTES])))
          .hasMessageContaining("land in the file itself");
      assertThat(world.session.path().link()).isEqualTo("rdma");
      assertThat(world.west.counters().linksClosed()).isZero();
    }
  }
}
