package io.verbena.spark;

import io.verbena.api.bulk.Source;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * Short blocks, one after the other. Each file is open only while it is read: a task may want a
 * block of each of thousands of files.
 */
final class BlockRun implements Source.Filler {
  private final List<ManagedBuffer> blocks;
  private final long[] ends;

  BlockRun(List<ManagedBuffer> blocks) {
    this.blocks = blocks;
    ends = blocks.stream().mapToLong(ManagedBuffer::size).toArray();
    Arrays.parallelPrefix(ends, Math::addExact);
  }

  long length() {
    return ends[ends.length - 1];
  }

  @Override
  public void fill(MemorySegment into, long offset) throws IOException {
    int found = Arrays.binarySearch(ends, offset);
    int block = found < 0 ? -found - 1 : found + 1;
    for (long at = 0; at < into.byteSize(); block++) {
      long within = offset + at - (block == 0 ? 0 : ends[block - 1]);
      long bytes = Math.min(ends[block] - offset - at, into.byteSize() - at);
      read(blocks.get(block), within, into.asSlice(at, bytes).asByteBuffer());
      at += bytes;
    }
  }

  private static void read(ManagedBuffer block, long from, ByteBuffer into) throws IOException {
    if (!(block instanceof FileSegmentManagedBuffer segment)) {
      into.put(block.nioByteBuffer().slice(Math.toIntExact(from), into.remaining()));
      return;
    }
    try (FileChannel file = FileChannel.open(segment.getFile().toPath(), StandardOpenOption.READ)) {
      long at = segment.getOffset() + from;
      while (into.hasRemaining()) {
        int read = file.read(into, at);
        if (read < 0) {
          throw new EOFException(segment.getFile() + " ends before byte " + at);
        }
        at += read;
      }
    }
  }
}
