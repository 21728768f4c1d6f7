package io.verbena.it;

import io.verbena.api.bulk.Source;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.unsafe.memory.MemoryBlock;

/** Buffers of Spark's as sources, and its pages as memory. */
final class SparkBuffers {
  private SparkBuffers() {}

  /** Returns a buffer's bytes. Each use of them holds a reference to the buffer. */
  static Source source(ManagedBuffer buffer) throws IOException {
    return Source.of(buffer.nioByteBuffer()).counted(buffer::retain, buffer::release);
  }

  /** Returns a range of a file, sent by the kernel. */
  static Source source(FileSegmentManagedBuffer segment) {
    return Source.file(segment.getFile().toPath(), segment.getOffset(), segment.getLength());
  }

  /** Returns a page's memory, which is to be freed when no transfer uses it any more. */
  static MemorySegment memory(MemoryBlock page) {
    return MemorySegment.ofAddress(page.getBaseOffset()).reinterpret(page.size());
  }
}
