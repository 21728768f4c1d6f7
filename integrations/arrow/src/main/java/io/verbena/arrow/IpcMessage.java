package io.verbena.arrow;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;

/**
 * A message of Arrow's IPC format. FlatBuffers reads inside its metadata only; a read beyond them
 * throws {@link IndexOutOfBoundsException}.
 *
 * @param message its metadata
 * @param body the bytes after the metadata
 * @param bodyAt the body's offset
 */
record IpcMessage(Message message, MemorySegment body, long bodyAt) {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * Finds the parts of a message.
   *
   * @throws RpcException if the bytes are not a message, or if its length is wrong
   */
  static IpcMessage of(MemorySegment memory) {
    long there = memory.byteSize() - BatchWriter.PREFIX_BYTES;
    if (there < 0) {
      throw refused("%d bytes are too few for a header".formatted(memory.byteSize()));
    }
    if (memory.get(INT, 0) != BatchWriter.CONTINUATION) {
      throw refused("it does not begin with a header of Arrow's IPC format");
    }
    int length = memory.get(INT, Integer.BYTES);
    if (length < 0 || length > there || length % BatchWriter.ALIGNMENT != 0) {
      throw refused("its header has %d bytes, of %d".formatted(length, there));
    }
    Message message =
        Message.getRootAsMessage(
            memory.asSlice(BatchWriter.PREFIX_BYTES, length).asReadOnly().asByteBuffer());
    if (message.version() != MetadataVersion.V5) {
      throw refused("its version is %s, but only V5 is supported".formatted(message.version()));
    }
    long bodyAt = BatchWriter.PREFIX_BYTES + (long) length;
    MemorySegment body = memory.asSlice(bodyAt);
    if (message.bodyLength() != body.byteSize()) {
      throw refused(
          "its body has %d bytes, but only %d arrived"
              .formatted(message.bodyLength(), body.byteSize()));
    }
    return new IpcMessage(message, body, bodyAt);
  }

  /** Returns the kind of the message, in words. */
  String kind() {
    byte type = message.headerType();
    return type >= 0 && type < MessageHeader.names.length
        ? MessageHeader.name(type)
        : "message of type " + type;
  }

  private static RpcException refused(String why) {
    return new RpcException(
        RpcStatus.INVALID_ARGUMENT, "not a message of Arrow's IPC format: " + why);
  }
}
