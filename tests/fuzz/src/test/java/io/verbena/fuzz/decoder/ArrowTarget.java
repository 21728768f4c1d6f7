package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.arrow.ArrowBatches;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A schema, where the input begins with 0, else a record batch of one. What is loaded can be read
 * to its last value, and nothing of it is left.
 */
public final class ArrowTarget implements Target {
  private static final int ROWS = 9;
  private static final long MOST_BYTES = 1 << 20;

  private static final Schema SCHEMA =
      new Schema(
          List.of(
              column("number", new ArrowType.Int(32, true)),
              column("flag", new ArrowType.Bool()),
              column("text", new ArrowType.Utf8()),
              column("viewed", new ArrowType.Utf8View()),
              new Field(
                  "list",
                  FieldType.nullable(new ArrowType.List()),
                  List.of(column("item", new ArrowType.Int(32, true))))));

  private static Field column(String name, ArrowType type) {
    return new Field(name, FieldType.nullable(type), List.of());
  }

  @Override
  public void take(byte[] input, Meter meter) {
    if (input.length == 0) {
      return;
    }
    byte[] rest = Arrays.copyOfRange(input, 1, input.length);
    try {
      if (input[0] == 0) {
        Schema read = ArrowBatches.schema(rest);
        assertThat(read.getFields()).doesNotContainNull();
      } else {
        load(rest);
      }
    } catch (RpcException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }

  private static void load(byte[] bytes) {
    try (BufferAllocator allocator = new RootAllocator(MOST_BYTES);
        VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
      Whole whole = new Whole(bytes);
      try {
        ArrowBatches.load(whole, root);
        for (FieldVector vector : root.getFieldVectors()) {
          for (int row = 0; row < root.getRowCount(); row++) {
            assertThat(String.valueOf(vector.getObject(row))).isNotNull();
          }
        }
      } catch (OutOfMemoryException limit) {
        assertThat(limit.getMessage()).isNotEmpty();
      }
      root.clear();
      assertThat(whole.arena.scope().isAlive()).isFalse();
    }
  }

  /** An object that has arrived. */
  private static final class Whole implements Received {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory;

    Whole(byte[] bytes) {
      memory = arena.allocate(Math.max(1, bytes.length), 8).asSlice(0, bytes.length);
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

  private static byte[] batch(int rows) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
      root.allocateNew();
      IntVector numbers = (IntVector) root.getVector("number");
      BitVector flags = (BitVector) root.getVector("flag");
      VarCharVector texts = (VarCharVector) root.getVector("text");
      ViewVarCharVector viewed = (ViewVarCharVector) root.getVector("viewed");
      ListVector lists = (ListVector) root.getVector("list");
      IntVector items = (IntVector) lists.getDataVector();
      for (int i = 0; i < rows; i++) {
        byte[] text = "text ".repeat(i % 4).getBytes(StandardCharsets.UTF_8);
        numbers.setSafe(i, i);
        flags.setSafe(i, i % 2);
        texts.setSafe(i, text);
        viewed.setSafe(i, text);
        lists.startNewValue(i);
        items.setSafe(i, i);
        lists.endValue(i, 1);
      }
      root.setRowCount(rows);
      return bytes(ArrowBatches.source(root));
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

  @Override
  public List<byte[]> seeds() {
    return List.of(
        Bytes.with(0, SCHEMA.serializeAsMessage()),
        Bytes.with(1, batch(ROWS)),
        Bytes.with(1, batch(0)));
  }

  /** An allocator, vectors and an arena are made anew; what Arrow logs of them is off. */
  @Override
  public long mostBytes(int inputLength) {
    return 500_000 + 300L * inputLength;
  }
}
