package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.Secret;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much of a ring bulk has, by how long its sender waits, and frames beside it. */
final class RingSharesTest {
  private static final int RING_BYTES = 1 << 20;
  private static final int PIECE_BYTES = 64 << 10;
  private static final int FRAME_BYTES = 16 << 10;

  private final ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES);
  private final MemorySegment bulk = Arena.ofAuto().allocate(PIECE_BYTES, Long.BYTES);
  private RingFile file;
  private OutRing out;
  private InRing in;

  @BeforeEach
  void make(@TempDir Path base) throws Exception {
    try (RingFile.Making making = new RingFile.Making(base.resolve("ring"), RING_BYTES)) {
      while (!making.fill()) {
        // A step at a time.
      }
      file = making.map(Secret.random(new SecureRandom()));
    }
    out = new OutRing(file, true);
    in = new InRing(file, false);
  }

  @AfterEach
  void unmap() {
    file.unmap();
  }

  /** Puts pieces in until one is turned back; returns how many went. */
  private int pieces() {
    int count = 0;
    while (out.piece(1, 0, false, bulk, 0, PIECE_BYTES)) {
      count++;
    }
    return count;
  }

  private boolean frame() {
    boolean taken = out.frame(frame, FRAME_BYTES);
    out.publish();
    return taken;
  }

  /** The peer takes so many records. */
  private void take(int records) {
    for (int i = 0; i < records; i++) {
      long record = in.next();
      if (record == 0) {
        break;
      }
      in.take(record);
    }
    in.tell();
  }

  @Test
  void bulkHasAQuarterBetweenEndsThatRun() {
    int first = pieces();
    assertThat(first).isBetween(1, RING_BYTES / 4 / PIECE_BYTES);
    for (int i = 0; i < 10; i++) {
      take(Integer.MAX_VALUE);
      assertThat(out.hasRoomAgain()).isTrue();
      assertThat(pieces()).isEqualTo(first);
    }
  }

  @Test
  void bulkHasMoreWhereItsSenderSlept() {
    int first = pieces();
    out.sendRoom();
    take(Integer.MAX_VALUE);
    assertThat(out.hasRoomAgain()).isTrue();
    assertThat(pieces()).isGreaterThan(2 * first);
  }

  @Test
  void bulkHasMoreWhereItsSenderLookedForRoomInVain() {
    int first = pieces();
    for (int i = 0; i < 2_000; i++) {
      assertThat(out.hasRoomAgain()).isFalse();
    }
    take(Integer.MAX_VALUE);
    assertThat(out.hasRoomAgain()).isTrue();
    assertThat(pieces()).isGreaterThan(2 * first);
  }

  @Test
  void aFrameThatWasTurnedBackIsNotStarvedByBulk() {
    int first = pieces();
    out.sendRoom();
    take(Integer.MAX_VALUE);
    assertThat(out.hasRoomAgain()).isTrue();
    assertThat(pieces()).isGreaterThan(first);
    while (frame()) {
      // Until one is turned back.
    }
    int turns = 0;
    do {
      take(2);
      boolean _ = out.hasRoomAgain();
      int _ = pieces();
      turns++;
    } while (!frame() && turns < 1_000);
    assertThat(turns).isLessThan(100);
  }
}
