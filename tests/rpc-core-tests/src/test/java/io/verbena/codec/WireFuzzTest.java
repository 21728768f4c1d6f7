package io.verbena.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.api.wire.WireException;
import io.verbena.testkit.Seed;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random programs over random bytes. A failure names the seed that repeats it. */
class WireFuzzTest {
  private static final int ROUNDS = 20_000;
  private static final int MAX_DEPTH = 5;
  private static final long MOST_ALLOCATED = 200_000;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final WireDecoder in = new WireDecoder();

  @Test
  void randomBytesEndInValuesOrAnErrorAndAllocateLittle() {
    long seed = Seed.number("WireFuzzTest");
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      ByteBuffer message =
          random.nextBoolean()
              ? ByteBuffer.wrap(bytes)
              : ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
      long steps = random.nextLong();
      long allocated = allocated(steps, message, bytes.length);
      if (allocated >= MOST_ALLOCATED) { // classes are loaded the first time
        allocated = allocated(steps, message, bytes.length);
      }
      assertThat(allocated).as("seed %d round %d", seed, round).isLessThan(MOST_ALLOCATED);
    }
  }

  private long allocated(long steps, ByteBuffer message, int length) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    readAtRandom(new Random(steps), message, length);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private void readAtRandom(Random random, ByteBuffer message, int length) {
    in.start(message, 0, length, MAX_DEPTH);
    int[] ends = new int[MAX_DEPTH];
    int open = 0;
    try {
      for (int step = 0; step < 300 && !in.atEnd(); step++) {
        int operation = random.nextInt(14);
        if (operation < 2) {
          ends[open] = in.beginRecord();
          open++;
        } else if (operation < 4 && open > 0) {
          in.endRecord(ends[--open]);
        } else {
          read(operation);
        }
        assertThat(in.remaining()).isBetween(0, length);
      }
    } catch (WireException refused) {
      assertThat(refused).hasMessageNotContaining("null");
    }
  }

  private void read(int operation) {
    switch (operation) {
      case 4 -> in.readBoolean();
      case 5 -> in.readByte();
      case 6 -> in.readShort();
      case 7 -> in.readInt();
      case 8 -> in.readLong();
      case 9 -> in.readVarInt();
      case 10 -> in.readVarLong();
      case 11 -> in.readString();
      case 12 -> in.readBytes();
      default -> in.readCount(3);
    }
  }

  @Test
  void randomTextComesBackAsTheJdkWouldWriteIt() {
    long seed = Seed.number("WireFuzzTest");
    Random random = new Random(seed);
    WireEncoder out = new WireEncoder();
    for (int round = 0; round < ROUNDS; round++) {
      String text = randomText(random);
      out.start(ByteBuffer.allocateDirect(random.nextInt(100)), 0, 1 << 16, 1);
      out.writeString(text);
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      byte[] written = new byte[utf8.length];
      out.buffer().get(out.length() - utf8.length, written);
      assertThat(written).as("seed %d round %d", seed, round).isEqualTo(utf8);
      in.start(out.buffer(), 0, out.length(), 1);
      assertThat(in.readString()).as("seed %d round %d", seed, round).isEqualTo(text);
    }
  }

  private static String randomText(Random random) {
    int[] ceilings = {0x80, 0x800, 0x10000, 0x110000};
    int ceiling = ceilings[random.nextInt(ceilings.length)];
    return random
        .ints(random.nextInt(60), 0, ceiling)
        .filter(code -> code < Character.MIN_SURROGATE || code > Character.MAX_SURROGATE)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
