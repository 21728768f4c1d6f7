package io.verbena.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BoundsChecking;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowBodyCompression;
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowMessage;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever stands in the memory of an object, a load of it is refused, or each of its values can be
 * read: Arrow's own checks of bounds, which users may turn off, never have to catch anything.
 */
class HostileBatchTest {
  private static final int ROWS = 60;

  private final BufferAllocator allocator = new RootAllocator(64 << 20);

  @AfterEach
  void close() {
    allocator.close(); // fails where anything is left
  }

  /** An object in memory, which says whether it was closed. */
  private static final class InMemory implements Received {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    InMemory(byte[] bytes) {
      memory = arena.allocate(Math.max(1, bytes.length), 64).asSlice(0, bytes.length);
      memory.copyFrom(MemorySegment.ofArray(bytes));
    }

    @Override
    public long length() {
      return memory.byteSize();
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public void close() {
      if (arena.scope().isAlive()) {
        arena.close();
      }
    }
  }

  private static byte[] bytes(Source source) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Source read = source instanceof Source.Counted counted ? counted.source() : source;
    for (Source piece : ((Source.Gathered) read).pieces()) {
      bytes.writeBytes(((Source.OfMemory) piece).memory().toArray(ValueLayout.JAVA_BYTE));
    }
    return bytes.toByteArray();
  }

  private VectorSchemaRoot table(boolean composed) {
    return composed
        ? Tables.composed(allocator, ROWS)
        : Tables.filled(Tables.EVERY, allocator, ROWS, 5);
  }

  private <T> T load(byte[] bytes, VectorSchemaRoot root, Function<VectorSchemaRoot, T> use) {
    InMemory received = new InMemory(bytes);
    try {
      ArrowBatches.load(received, root);
      return use.apply(root);
    } finally {
      root.clear();
      assertThat(received.arena.scope().isAlive()).as("memory is held").isFalse();
    }
  }

  private String refusal(byte[] bytes, VectorSchemaRoot root) {
    try {
      load(bytes, root, Tables::values);
      throw new AssertionError("it was loaded");
    } catch (RpcException e) {
      assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
      return String.valueOf(e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anyBytesAreRefusedOrCanBeRead(boolean composed) {
    mutate(composed, 3_000, Long.getLong("verbena.seed", 11));
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anyBytesAreRefusedOrCanBeReadForLong(boolean composed) {
    mutate(composed, 20_000, Long.getLong("verbena.seed", System.nanoTime()));
  }

  private void mutate(boolean composed, int rounds, long seed) {
    assertThat(BoundsChecking.BOUNDS_CHECKING_ENABLED).isTrue();
    int loaded = 0;
    try (VectorSchemaRoot table = table(composed);
        VectorSchemaRoot into = VectorSchemaRoot.create(table.getSchema(), allocator)) {
      byte[] whole = bytes(ArrowBatches.source(table));
      for (int round = 0; round < rounds; round++) {
        SplittableRandom random = new SplittableRandom(seed + round);
        InMemory received = new InMemory(mutated(whole, random));
        try {
          ArrowBatches.load(received, into);
          Tables.values(into);
          loaded++;
        } catch (RpcException e) {
          assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
        } catch (OutOfMemoryException e) {
          assertThat(e).hasMessageContaining("allocat");
        } catch (RuntimeException | Error e) {
          throw new AssertionError("seed " + (seed + round) + ": -Dverbena.seed", e);
        }
        into.clear();
        assertThat(received.arena.scope().isAlive()).as("held, seed " + (seed + round)).isFalse();
      }
    }
    assertThat(loaded).as("some are harmless").isPositive();
  }

  /** Changes some bytes or numbers, most of them in the header, or where offsets begin. */
  private static byte[] mutated(byte[] whole, SplittableRandom random) {
    byte[] bytes = whole.clone();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int header = 8 + buffer.getInt(4);
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      int at = random.nextInt(random.nextBoolean() ? header : bytes.length);
      int[] numbers = {0, 1, -1, 7, 8, 59, 61, bytes.length, Integer.MAX_VALUE, Integer.MIN_VALUE};
      int number = numbers[random.nextInt(numbers.length)];
      int aligned = Math.min(at & ~3, bytes.length - 8);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> buffer.putInt(aligned, number);
        default -> buffer.putLong(aligned, number);
      }
    }
    return random.nextInt(20) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  @Test
  void aBatchOfAnotherSchemaIsRefused() {
    Schema two = new Schema(Tables.EVERY.getFields().subList(0, 2));
    Schema wider = new Schema(List.of(Tables.field("int8", new ArrowType.Int(64, true))));
    try (VectorSchemaRoot table = table(false);
        VectorSchemaRoot other = table(true);
        VectorSchemaRoot less = Tables.filled(two, allocator, ROWS, 1);
        VectorSchemaRoot one = VectorSchemaRoot.create(wider, allocator)) {
      byte[] whole = bytes(ArrowBatches.source(table));
      byte[] few = bytes(ArrowBatches.source(less));
      assertThat(refusal(whole, less)).contains("where the schema has 2 and 4");
      assertThat(refusal(whole, one)).contains("column 'int8'", "needs 480");
      assertThat(refusal(whole, other)).contains("column 'sparse");
      assertThat(refusal(few, table)).contains("column 'int32'", "is missing");
    }
  }

  @Test
  void moreThanALongCanCountIsRefusedWithoutMemory() {
    int many = 1 << 30;
    Schema wide = new Schema(List.of(Tables.field("wide", new ArrowType.FixedSizeBinary(many))));
    ArrowBuf nothing = allocator.getEmpty();
    try (VectorSchemaRoot into = VectorSchemaRoot.create(wide, allocator);
        ArrowRecordBatch batch =
            new ArrowRecordBatch(
                many, List.of(new ArrowFieldNode(many, 0)), List.of(nothing, nothing))) {
      assertThat(refusal(bytes(BatchWriter.write(batch)), into))
          .contains("column 'wide'", "needs " + (1L << 60));
    }
  }

  @Test
  void aSparseUnionWhoseChildArrowWouldNotReadIsRefused() {
    Field number = Tables.field("number", new ArrowType.Int(32, true));
    Field point = Tables.field("point", new ArrowType.Struct(), number);
    assertThat(refusalOfUnion(new int[] {0}, number, 1)).contains("'number' of its union");
    assertThat(refusalOfUnion(null, point, 2)).contains("'point' of its union");
  }

  /** Sends more rows than a vector has that Arrow makes by itself, of the id that Arrow gives. */
  private String refusalOfUnion(int @Nullable [] typeIds, Field child, int nodes) {
    int rows = 6000;
    ArrowType type = new ArrowType.Union(UnionMode.Sparse, typeIds);
    Schema schema = new Schema(List.of(Tables.field("union", type, child)));
    try (VectorSchemaRoot into = VectorSchemaRoot.create(schema, allocator);
        ArrowBuf ids = filled(rows, firstTypeId(into));
        ArrowBuf values = filled(rows * Integer.BYTES, 0)) {
      List<ArrowBuf> buffers = new ArrayList<>(Collections.nCopies(nodes + 1, values));
      buffers.addFirst(ids);
      List<ArrowFieldNode> all = Collections.nCopies(nodes + 1, new ArrowFieldNode(rows, 0));
      try (ArrowRecordBatch batch = new ArrowRecordBatch(rows, all, buffers)) {
        return refusal(bytes(BatchWriter.write(batch)), into);
      }
    }
  }

  private static int firstTypeId(VectorSchemaRoot root) {
    return ((ArrowType.Union) root.getVector(0).getField().getType()).getTypeIds()[0];
  }

  private static byte[] bytes(int count, int value) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Arrow gives the child a row for each row of the union, by memory of its own. */
  @Test
  void rowsOfADenseUnionMayShareAValueWhoseBuffersAreLong() {
    int rows = 40;
    int longer = 19; // bytes
    Field number = Tables.field("number", new ArrowType.Int(8, true));
    ArrowType type = new ArrowType.Union(UnionMode.Dense, new int[] {0});
    Schema schema = new Schema(List.of(Tables.field("union", type, number)));
    try (VectorSchemaRoot into = VectorSchemaRoot.create(schema, allocator);
        ArrowBuf ids = filled(rows, 0);
        ArrowBuf offsets = filled(rows * Integer.BYTES, 0);
        ArrowBuf validity = filled(longer, 0xff);
        ArrowBuf value = filled(1, 7)) {
      List<ArrowFieldNode> nodes = List.of(new ArrowFieldNode(rows, 0), new ArrowFieldNode(1, 0));
      try (ArrowRecordBatch batch =
          new ArrowRecordBatch(rows, nodes, List.of(ids, offsets, validity, value))) {
        load(bytes(BatchWriter.write(batch)), into, Tables::values)
            .forEach(row -> assertThat(row).endsWith("=7"));
      }
    }
  }

  private ArrowBuf filled(int count, int value) {
    ArrowBuf buffer = allocator.buffer(count);
    buffer.setBytes(0, bytes(count, value));
    buffer.writerIndex(count);
    return buffer;
  }

  @Test
  void whatIsNoRecordBatchIsRefusedByName() {
    try (VectorSchemaRoot table = table(false);
        VectorSchemaRoot into = VectorSchemaRoot.create(Tables.EVERY, allocator);
        ArrowRecordBatch batch = new VectorUnloader(table).getRecordBatch();
        ArrowRecordBatch compressed =
            new ArrowRecordBatch(
                ROWS,
                batch.getNodes(),
                batch.getBuffers(),
                new ArrowBodyCompression(CompressionType.LZ4_FRAME, BodyCompressionMethod.BUFFER));
        ArrowDictionaryBatch dictionary = new ArrowDictionaryBatch(1, batch, false)) {
      byte[] whole = bytes(ArrowBatches.source(table));
      assertThat(refusal(new byte[0], into)).contains("0 bytes are too few for a header");
      assertThat(refusal(new byte[100], into)).contains("does not begin with a header");
      assertThat(refusal(Arrays.copyOf(whole, whole.length - 8), into)).contains("its body has");
      assertThat(refusal(withHeader(compressed, whole), into)).contains("are compressed");
      assertThat(refusal(withHeader(dictionary, whole), into))
          .contains("it is a DictionaryBatch", "batch of its own");
    }
  }

  /** Puts another header before a batch's body. */
  private static byte[] withHeader(ArrowMessage message, byte[] whole) {
    ByteBuffer metadata = MessageSerializer.serializeMetadata(message, IpcOption.DEFAULT);
    int padded = (metadata.remaining() + 7) / 8 * 8;
    int old = 8 + ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(4);
    ByteBuffer made =
        ByteBuffer.allocate(8 + padded + whole.length - old).order(ByteOrder.LITTLE_ENDIAN);
    made.putInt(-1).putInt(padded).put(metadata).position(8 + padded);
    return made.put(whole, old, whole.length - old).array();
  }
}
