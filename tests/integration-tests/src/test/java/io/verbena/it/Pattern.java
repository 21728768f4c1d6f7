package io.verbena.it;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.api.bulk.Landing.ChunkConsumer;
import io.verbena.api.bulk.Source;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** Bytes that tell where in an object they belong: at offset 8 i is a mix of i. */
public final class Pattern {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * So many words at once: one by one they take several times as long without the second compiler.
   */
  private static final int BLOCK = 1024;

  private Pattern() {}

  private static long word(long index) {
    long mixed = (index + 1) * 0x9e3779b97f4a7c15L;
    return mixed ^ (mixed >>> 29);
  }

  private static void write(long[] words, int count, long index) {
    for (int i = 0; i < count; i++) {
      words[i] = word(index + i);
    }
  }

  private static byte at(long offset) {
    return (byte) (word(offset / 8) >>> (8 * (offset % 8)));
  }

  /** Returns so many bytes. */
  public static Source source(long bytes) {
    return Source.generator(bytes, Pattern::fill);
  }

  /** Fills a chunk that begins at an offset. */
  public static void fill(MemorySegment chunk, long offset) {
    long at = 0;
    if (offset % 8 == 0) {
      long[] words = new long[BLOCK];
      for (int count; at + 8 <= chunk.byteSize(); at += 8L * count) {
        count = (int) Math.min(BLOCK, (chunk.byteSize() - at) / 8);
        write(words, count, (offset + at) / 8);
        MemorySegment.copy(words, 0, chunk, WORD, at, count);
      }
    }
    for (; at < chunk.byteSize(); at++) {
      chunk.set(JAVA_BYTE, at, at(offset + at));
    }
  }

  /** Writes so many bytes into a file, which is made if there is none. */
  static void write(Path file, long bytes) throws IOException {
    try (Arena arena = Arena.ofConfined();
        FileChannel open =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      MemorySegment content = arena.allocate(bytes);
      fill(content, 0);
      ByteBuffer buffer = content.asByteBuffer();
      while (buffer.hasRemaining()) {
        open.write(buffer);
      }
    }
  }

  /** Takes the pattern and nothing else, in its order. */
  static final class Checker implements ChunkConsumer {
    private long next;

    @Override
    public void accept(MemorySegment chunk, long offset) {
      if (offset != next) {
        throw new AssertionError("a chunk for " + offset + ", where " + next + " is next");
      }
      check(chunk, offset);
      next += chunk.byteSize();
    }

    long checked() {
      return next;
    }
  }

  /** Fails unless a chunk that begins at an offset has the pattern. */
  public static void check(MemorySegment chunk, long offset) {
    long at = 0;
    if (offset % 8 == 0) {
      long[] words = new long[BLOCK];
      long[] found = new long[BLOCK];
      for (int count; at + 8 <= chunk.byteSize(); at += 8L * count) {
        count = (int) Math.min(BLOCK, (chunk.byteSize() - at) / 8);
        write(words, count, (offset + at) / 8);
        MemorySegment.copy(chunk, WORD, at, found, 0, count);
        int wrong = Arrays.mismatch(words, 0, count, found, 0, count);
        if (wrong >= 0) {
          throw new AssertionError("wrong bytes at " + (offset + at + 8L * wrong));
        }
      }
    }
    for (; at < chunk.byteSize(); at++) {
      if (chunk.get(JAVA_BYTE, at) != at(offset + at)) {
        throw new AssertionError("a wrong byte at " + (offset + at));
      }
    }
  }
}
