package io.verbena.arrow;

import io.verbena.api.bulk.Source;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;

/**
 * Writes a batch as one object, in Arrow's IPC format.
 *
 * <pre>
 *   -1  length of the metadata  metadata, padded to 8 bytes | buffer, padded to 8 bytes | buffer …
 *    4                       4                              | the body
 * </pre>
 */
final class BatchWriter {
  static final int CONTINUATION = -1;
  static final int PREFIX_BYTES = 8;
  static final int ALIGNMENT = 8;

  /** A separate piece costs more than a copy of up to this many bytes. */
  private static final int COPIED_BYTES = 1 << 10;

  private final List<Source> pieces = new ArrayList<>();

  /** The bytes copied since the last piece. */
  private final ByteArrayOutputStream copied = new ByteArrayOutputStream();

  private BatchWriter() {}

  static Source write(ArrowRecordBatch batch) {
    BatchWriter writer = new BatchWriter();
    writer.header(MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT));
    for (ArrowBuf buffer : batch.getBuffers()) {
      writer.buffer(memory(buffer, buffer.readableBytes()));
    }
    writer.endCopy();
    return Source.gathered(writer.pieces.toArray(Source[]::new));
  }

  /** Returns the first bytes of a buffer's memory, in the global scope, because Arrow frees it. */
  static MemorySegment memory(ArrowBuf buffer, long length) {
    return MemorySegment.ofAddress(buffer.memoryAddress()).reinterpret(length);
  }

  private void header(ByteBuffer metadata) {
    int length = metadata.remaining();
    int padded = length + padding(length);
    copied.writeBytes(
        ByteBuffer.allocate(PREFIX_BYTES + padded)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(CONTINUATION)
            .putInt(padded)
            .put(metadata)
            .array());
  }

  private void buffer(MemorySegment memory) {
    if (memory.byteSize() <= COPIED_BYTES) {
      copied.writeBytes(memory.toArray(ValueLayout.JAVA_BYTE));
    } else {
      endCopy();
      pieces.add(Source.of(memory));
    }
    copied.writeBytes(new byte[padding(memory.byteSize())]);
  }

  /**
   * Copies to memory outside the heap, like the other pieces. With one piece on the heap, the whole
   * object would be confirmed more often.
   */
  private void endCopy() {
    if (copied.size() > 0) {
      byte[] bytes = copied.toByteArray();
      pieces.add(Source.of(Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes)));
      copied.reset();
    }
  }

  private static int padding(long length) {
    return (int) (-length & (ALIGNMENT - 1));
  }
}
