package io.verbena.arrow;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reads a schema from a peer. In a FlatBuffer many references may point to one object, and a child
 * may refer to its parent. So a few bytes may stand for more fields than memory holds. This class
 * therefore walks through the schema before Arrow reads it. Each field, string and type id is
 * charged as if it had bytes of its own in the message.
 */
final class SchemaReader {
  private static final int DEEPEST = 64;

  /** The least bytes that a field, or an entry of its metadata, takes in a message. */
  private static final int FIELD_BYTES = 16;

  private static final int ENTRY_BYTES = 12;

  /** The bytes of the message that nothing was charged to yet. */
  private long left;

  private SchemaReader(long bytes) {
    this.left = bytes;
  }

  static Schema read(byte[] bytes) {
    try {
      IpcMessage message = IpcMessage.of(MemorySegment.ofArray(bytes));
      if (message.message().headerType() != MessageHeader.Schema) {
        throw refused("it is a %s".formatted(message.kind()), null);
      }
      var schema =
          (org.apache.arrow.flatbuf.Schema)
              message.message().header(new org.apache.arrow.flatbuf.Schema());
      if (schema == null) {
        throw refused("it is empty", null);
      }
      new SchemaReader(bytes.length).goThrough(schema);
      return Schema.convertSchema(schema);
    } catch (RpcException e) {
      throw e;
    } catch (RuntimeException e) {
      // FlatBuffers and Arrow throw various exceptions for unexpected bytes.
      throw refused("it cannot be read: " + e, e);
    }
  }

  private static RpcException refused(String why, @Nullable Throwable cause) {
    return new RpcException(
        RpcStatus.INVALID_ARGUMENT, "not a schema of Apache Arrow's: " + why, cause);
  }

  private void goThrough(org.apache.arrow.flatbuf.Schema schema) {
    for (int i = 0; i < schema.fieldsLength(); i++) {
      goThrough(schema.fields(i), 1);
    }
    for (int i = 0; i < schema.customMetadataLength(); i++) {
      goThrough(schema.customMetadata(i));
    }
  }

  private void goThrough(Field field, int depth) {
    if (depth > DEEPEST) {
      throw refused("its fields are nested more than %d deep".formatted(DEEPEST), null);
    }
    pay(FIELD_BYTES);
    pay(field.nameAsByteBuffer());
    if (field.typeType() == Type.Timestamp
        && field.type(new Timestamp()) instanceof Timestamp timestamp) {
      pay(timestamp.timezoneAsByteBuffer());
    }
    if (field.typeType() == Type.Union && field.type(new Union()) instanceof Union union) {
      pay((long) union.typeIdsLength() * Integer.BYTES);
    }
    for (int i = 0; i < field.customMetadataLength(); i++) {
      goThrough(field.customMetadata(i));
    }
    for (int i = 0; i < field.childrenLength(); i++) {
      goThrough(field.children(i), depth + 1);
    }
  }

  private void goThrough(KeyValue entry) {
    pay(ENTRY_BYTES);
    pay(entry.keyAsByteBuffer());
    pay(entry.valueAsByteBuffer());
  }

  private void pay(@Nullable ByteBuffer text) {
    pay(text == null ? 0 : text.remaining());
  }

  private void pay(long bytes) {
    left -= bytes;
    if (left < 0) {
      throw refused("parts of it are used more than once", null);
    }
  }
}
