package io.verbena.spark;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Where each block lies in an answer: behind a table of lengths, one after the other. */
final class BlockTable {
  private final long[] ends;

  /**
   * Checks that the lengths add up to the answer.
   *
   * @param total the answer's length, in bytes, with the table
   */
  private BlockTable(LongBuffer lengths, long total) {
    ends = new long[lengths.remaining() + 1];
    ends[0] = (long) Long.BYTES * lengths.remaining();
    for (int i = 1; i < ends.length; i++) {
      long length = lengths.get();
      if (length < 0 || length > total - ends[i - 1]) {
        throw broken(total);
      }
      ends[i] = ends[i - 1] + length;
    }
    if (ends[ends.length - 1] != total) {
      throw broken(total);
    }
  }

  static BlockTable of(MemorySegment answer, int blocks) {
    long bytes = (long) Long.BYTES * blocks;
    if (bytes > answer.byteSize()) {
      throw broken(answer.byteSize());
    }
    return new BlockTable(
        answer.asSlice(0, bytes).asByteBuffer().asLongBuffer(), answer.byteSize());
  }

  static BlockTable of(Path answer, int blocks) throws IOException {
    try (FileChannel file = FileChannel.open(answer, StandardOpenOption.READ)) {
      ByteBuffer lengths = ByteBuffer.allocate(Math.multiplyExact(Long.BYTES, blocks));
      while (lengths.hasRemaining()) {
        if (file.read(lengths) < 0) {
          throw new EOFException("the blocks are shorter than the table of their lengths");
        }
      }
      return new BlockTable(lengths.flip().asLongBuffer(), file.size());
    }
  }

  private static RpcException broken(long total) {
    return new RpcException(
        RpcStatus.PROTOCOL_ERROR, "the lengths of the blocks do not add up to " + total + " bytes");
  }

  long offset(int block) {
    return ends[block];
  }

  long length(int block) {
    return ends[block + 1] - ends[block];
  }
}
