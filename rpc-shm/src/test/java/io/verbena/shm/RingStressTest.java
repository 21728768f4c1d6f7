package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.Secret;
import io.verbena.testkit.Seed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two threads at one ring, neither of which ever sleeps: each word that is read is the one that was
 * written, in the order of writing, whatever the processor and the compiler make of it.
 */
@Tag("long")
final class RingStressTest {
  private static final int RING_BYTES = 256 << 10;
  private static final int RECORDS = 100_000;
  private static final int MOST_WORDS = 400;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** What each word of a record is made of: a word of another, or of none, is not it. */
  private static long word(long record, int place) {
    return (record << 16 | place) * 0x9E3779B97F4A7C15L | 1;
  }

  @Test
  void whatIsReadIsWhatWasWritten(@TempDir Path base) throws Exception {
    Random lengths = Seed.random("records of a ring");
    long seed = lengths.nextLong();
    RingFile file = file(base.resolve("ring"));
    try {
      CompletableFuture<Void> written = new CompletableFuture<>();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (Arena arena = Arena.ofConfined()) {
                      write(new OutRing(file, true), new Random(seed), arena);
                      written.complete(null);
                    } catch (Throwable e) {
                      written.completeExceptionally(e);
                    }
                  });
      read(file, new InRing(file, false), new Random(seed), written);
      written.get(1, TimeUnit.MINUTES);
      writer.join();
    } finally {
      file.unmap();
    }
  }

  private static RingFile file(Path path) throws Exception {
    try (RingFile.Making making = new RingFile.Making(path, RING_BYTES)) {
      while (!making.fill()) {
        // A step at a time.
      }
      return making.map(Secret.random(new SecureRandom()));
    }
  }

  /** Each third record is a piece of bulk; frames are published some at a time. */
  private static void write(OutRing ring, Random random, Arena arena) {
    ByteBuffer frame = ByteBuffer.allocateDirect(MOST_WORDS * Long.BYTES);
    frame.order(ByteOrder.nativeOrder());
    MemorySegment bulk = arena.allocate(MOST_WORDS * (long) Long.BYTES, Long.BYTES);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (long record = 0; record < RECORDS; record++) {
      int words = 1 + random.nextInt(MOST_WORDS);
      boolean isBulk = random.nextInt(3) == 0;
      boolean publishes = random.nextInt(4) == 0;
      for (int i = 0; i < words; i++) {
        frame.putLong(i * Long.BYTES, word(record, i));
        bulk.setAtIndex(ValueLayout.JAVA_LONG, i, word(record, i));
      }
      int length = words * Long.BYTES;
      while (!(isBulk
          ? ring.piece(record + 1, 0, false, bulk, 0, length)
          : ring.frame(frame, length))) {
        ring.publish();
        boolean _ = ring.hasRoomAgain();
        requireTime(deadline);
      }
      if (publishes) {
        ring.publish();
      }
    }
    ring.publish();
  }

  private static void read(
      RingFile file, InRing ring, Random random, CompletableFuture<Void> written) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (long number = 0; number < RECORDS; ) {
      long record = ring.next();
      if (record == 0) {
        ring.tell();
        requireTime(deadline);
        assertThat(written.isCompletedExceptionally()).as("the writer failed").isFalse();
        continue;
      }
      if (Records.kind(record) != Records.SKIP) {
        int words = 1 + random.nextInt(MOST_WORDS);
        boolean isBulk = random.nextInt(3) == 0;
        random.nextInt(4);
        check(file.memory, ring.content(), record, number++, words, isBulk);
      }
      ring.take(record);
    }
    assertThat(ring.isEmpty()).isTrue();
  }

  private static void check(
      MemorySegment memory, long at, long record, long number, int words, boolean isBulk) {
    int head = isBulk ? Records.PIECE_HEADER_BYTES : 0;
    boolean sound =
        Records.kind(record) == (isBulk ? Records.PIECE : Records.FRAME)
            && Records.length(record) == head + words * Long.BYTES
            && (!isBulk || memory.get(ValueLayout.JAVA_LONG, at) == number + 1);
    for (int i = 0; sound && i < words; i++) {
      long offset = at + head + (long) i * Long.BYTES;
      sound = memory.get(ValueLayout.JAVA_LONG, offset) == word(number, i);
    }
    if (!sound) {
      throw new AssertionError(
          "record %d of %d words is none of those written: %016x".formatted(number, words, record));
    }
  }

  private static void requireTime(long deadline) {
    if (System.nanoTime() - deadline > 0) {
      throw new AssertionError("the other thread does not go on");
    }
    Thread.onSpinWait();
  }
}
