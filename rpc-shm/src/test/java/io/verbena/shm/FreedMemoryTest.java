package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.testkit.LinkEnd;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sender whose memory is freed under it: its peer sees nothing of that. */
final class FreedMemoryTest {
  private static final int FRAMES = 4;

  /** So many leave a few bytes of a ring to its end. */
  private static final int FRAME_BYTES = (256 << 10) / FRAMES - 16;

  @Test
  void leavesTheRingWhole(@TempDir Path base) throws Exception {
    try (TwoEnds ends = new TwoEnds(base)) {
      List<LinkEnd> pair = ends.open();
      LinkEnd from = pair.getFirst();
      LinkEnd to = pair.getLast();
      for (int sent = 1; sent <= FRAMES; sent++) {
        from.sendNow(new byte[FRAME_BYTES]);
        int all = sent;
        ends.stepUntil("a frame", () -> to.heard().frames().size() == all);
      }
      BulkPort port = Objects.requireNonNull(from.link().bulk());
      RemoteTarget target = port.remote(ByteBuffer.allocate(16).putLong(1).putLong(100).flip());
      Arena arena = Arena.ofShared();
      BulkRegion freed = port.attach(arena.allocate(100), MemoryLife.HELD);
      arena.close();
      assertThatThrownBy(() -> port.write(target, 0, freed, 0, 100, true, () -> {}))
          .isInstanceOf(IllegalStateException.class);
      from.link().flush();
      ends.step();
      from.sendNow(new byte[] {7});
      ends.stepUntil("one more frame", () -> to.heard().frames().size() > FRAMES);
      assertThat(to.heard().frames()).hasSize(FRAMES + 1).last().isEqualTo(new byte[] {7});
    }
  }
}
