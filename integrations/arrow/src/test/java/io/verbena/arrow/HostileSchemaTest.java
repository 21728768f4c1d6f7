package io.verbena.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.flatbuffers.FlatBufferBuilder;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Few bytes of a peer's do not become many fields. */
class HostileSchemaTest {
  private static Schema composed() {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = Tables.composed(allocator, 3)) {
      return root.getSchema();
    }
  }

  private static void assertRefused(byte[] bytes, String why) {
    assertThatThrownBy(() -> ArrowBatches.schema(bytes))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT))
        .hasMessageContaining(why);
  }

  @Test
  void whatArrowWritesIsRead() {
    Map<String, String> words = Map.of("key", "value", "empty", "");
    for (Schema schema :
        List.of(
            Tables.EVERY,
            composed(),
            new Schema(List.of()),
            new Schema(Tables.EVERY.getFields(), words))) {
      assertThat(ArrowBatches.schema(schema.serializeAsMessage())).isEqualTo(schema);
    }
  }

  @Test
  void anyBytesAreRefusedOrRead() {
    long seed = Long.getLong("verbena.seed", 3);
    byte[] whole = Tables.EVERY.serializeAsMessage();
    int read = 0;
    for (int round = 0; round < 3_000; round++) {
      SplittableRandom random = new SplittableRandom(seed + round);
      byte[] bytes = whole.clone();
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        int at = random.nextInt(bytes.length);
        if (random.nextBoolean()) {
          bytes[at] = (byte) random.nextInt();
        } else {
          ByteBuffer.wrap(bytes)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putInt(Math.min(at & ~3, bytes.length - 4), random.nextInt(2000) - 1000);
        }
      }
      try {
        assertThat(ArrowBatches.schema(bytes)).isNotNull();
        read++;
      } catch (RpcException e) {
        assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("-Dverbena.seed=" + (seed + round), e);
      }
    }
    assertThat(read).as("some are harmless").isPositive();
    assertRefused(Arrays.copyOf(whole, whole.length - 8), "its header has");
    assertRefused(new byte[3], "3 bytes are too few for a header");
  }

  @Test
  void aFieldThatStandsForManyIsRefused() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int field = struct(builder, new int[0]);
    for (int doubled = 0; doubled < 40; doubled++) {
      field = struct(builder, new int[] {field, field});
    }
    assertRefused(message(builder, field), "parts of it are used more than once");
  }

  @Test
  void deepFieldsAndUnionsOfManyTypesAreRefused() {
    FlatBufferBuilder deep = new FlatBufferBuilder();
    int field = struct(deep, new int[0]);
    for (int i = 0; i < 100; i++) {
      field = struct(deep, new int[] {field});
    }
    assertRefused(message(deep, field), "nested more than 64 deep");
    byte[] union =
        new Schema(
                List.of(
                    Tables.field(
                        "u",
                        new ArrowType.Union(
                            org.apache.arrow.vector.types.UnionMode.Dense, new int[] {3, 4}),
                        Tables.field("a", new ArrowType.Bool()),
                        Tables.field("b", new ArrowType.Bool()))))
            .serializeAsMessage();
    ByteBuffer bytes = ByteBuffer.wrap(union).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at + 12 <= union.length; at += 4) {
      if (bytes.getInt(at) == 2 && bytes.getInt(at + 4) == 3 && bytes.getInt(at + 8) == 4) {
        bytes.putInt(at, 1 << 28); // type ids
      }
    }
    assertRefused(union, "parts of it are used more than once");
  }

  @Test
  void aLongTextThatManyEntriesShareIsRefused() {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    int text = builder.createString("x".repeat(10_000));
    int[] entries = new int[1000];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = KeyValue.createKeyValue(builder, text, text);
    }
    int metadata = org.apache.arrow.flatbuf.Schema.createCustomMetadataVector(builder, entries);
    int fields = org.apache.arrow.flatbuf.Schema.createFieldsVector(builder, new int[0]);
    org.apache.arrow.flatbuf.Schema.startSchema(builder);
    org.apache.arrow.flatbuf.Schema.addFields(builder, fields);
    org.apache.arrow.flatbuf.Schema.addCustomMetadata(builder, metadata);
    int schema = org.apache.arrow.flatbuf.Schema.endSchema(builder);
    assertRefused(finished(builder, schema), "parts of it are used more than once");
  }

  private static int struct(FlatBufferBuilder builder, int[] children) {
    int all = Field.createChildrenVector(builder, children);
    Struct_.startStruct_(builder);
    int type = Struct_.endStruct_(builder);
    Field.startField(builder);
    Field.addTypeType(builder, Type.Struct_);
    Field.addType(builder, type);
    Field.addChildren(builder, all);
    return Field.endField(builder);
  }

  private static byte[] message(FlatBufferBuilder builder, int field) {
    int fields = org.apache.arrow.flatbuf.Schema.createFieldsVector(builder, new int[] {field});
    org.apache.arrow.flatbuf.Schema.startSchema(builder);
    org.apache.arrow.flatbuf.Schema.addFields(builder, fields);
    return finished(builder, org.apache.arrow.flatbuf.Schema.endSchema(builder));
  }

  private static byte[] finished(FlatBufferBuilder builder, int schema) {
    Message.startMessage(builder);
    Message.addVersion(builder, MetadataVersion.V5);
    Message.addHeaderType(builder, MessageHeader.Schema);
    Message.addHeader(builder, schema);
    builder.finish(Message.endMessage(builder));
    byte[] metadata = builder.sizedByteArray();
    int padded = (metadata.length + 7) / 8 * 8;
    ByteBuffer whole = ByteBuffer.allocate(8 + padded).order(ByteOrder.LITTLE_ENDIAN);
    return whole.putInt(-1).putInt(padded).put(metadata).array();
  }
}
