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
 * Reads a schema of a peer's. In a FlatBuffer many places may refer to one, and a child to its
 * parent: a few bytes may stand for more fields than there is memory. So all of it is gone through
 * before Arrow reads it, and each field, string and type id has to be paid for with bytes of the
 * message, as if it stood there by itself.
 */
final class SchemaReader {
  private static final int DEEPEST = 64;

  /** What a field, or an entry of its metadata, takes in a message at least. */
  private static final int FIELD_BYTES = 16;

  private static final int ENTRY_BYTES = 12;

  /** Not yet paid with. */
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
    } catch (RuntimeException e) { // of FlatBuffers and Arrow, whatever they do not expect
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
      throw refused("more is in it than its bytes can hold", null);
    }
  }
}
