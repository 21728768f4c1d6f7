package io.verbena.arrow;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.IntervalMonthDayNanoVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.complex.impl.UnionListViewWriter;
import org.apache.arrow.vector.holders.NullableFloat8Holder;
import org.apache.arrow.vector.holders.NullableIntHolder;
import org.apache.arrow.vector.holders.NullableVarCharHolder;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.Types.MinorType;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** Tables of all types, with values that follow from a seed. */
final class Tables {
  private Tables() {}

  static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  static Field required(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.notNullable(type), List.of(children));
  }

  private static ArrowType integer(int bits) {
    return new ArrowType.Int(bits, true);
  }

  /** Columns of each type that Arrow's Java vectors have and its files may hold. */
  static final Schema EVERY =
      new Schema(
          List.of(
              field("int8", integer(8)),
              field("int16", integer(16)),
              field("int32", integer(32)),
              field("int64", integer(64)),
              field("uint16", new ArrowType.Int(16, false)),
              field("float32", new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE)),
              field("float64", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
              field("bool", new ArrowType.Bool()),
              field("date", new ArrowType.Date(DateUnit.DAY)),
              field("timestamp", new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC")),
              field("interval", new ArrowType.Interval(IntervalUnit.MONTH_DAY_NANO)),
              field("decimal", new ArrowType.Decimal(20, 3, 128)),
              field("fixed", new ArrowType.FixedSizeBinary(5)),
              field("text", new ArrowType.Utf8()),
              field("bytes", new ArrowType.Binary()),
              field("largeText", new ArrowType.LargeUtf8()),
              field("viewed", new ArrowType.Utf8View()),
              field("nothing", new ArrowType.Null()),
              field("list", new ArrowType.List(), field("item", integer(32))),
              field(
                  "texts",
                  new ArrowType.List(),
                  field("item", new ArrowType.List(), field("item", new ArrowType.Utf8()))),
              field("largeList", new ArrowType.LargeList(), field("item", integer(64))),
              field("pair", new ArrowType.FixedSizeList(2), field("item", integer(16))),
              field(
                  "struct",
                  new ArrowType.Struct(),
                  field("a", integer(64)),
                  field("b", new ArrowType.Utf8()),
                  field("c", new ArrowType.Struct(), field("d", new ArrowType.Bool()))),
              field(
                  "map",
                  new ArrowType.Map(false),
                  required(
                      "entries",
                      new ArrowType.Struct(),
                      required("key", integer(32)),
                      field("value", new ArrowType.Utf8()))),
              new Field(
                  "word",
                  new FieldType(true, integer(32), new DictionaryEncoding(7, false, null)),
                  List.of())));

  /** Returns a root with so many rows, of values that follow from the seed. */
  static VectorSchemaRoot filled(Schema schema, BufferAllocator allocator, int rows, long seed) {
    VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
    SplittableRandom random = new SplittableRandom(seed);
    root.allocateNew();
    for (FieldVector vector : root.getFieldVectors()) {
      fill(vector, rows, random);
    }
    root.setRowCount(rows);
    return root;
  }

  private static byte[] word(SplittableRandom random) {
    String word = "w" + Long.toString(random.nextLong(), 36).repeat(random.nextInt(3));
    return word.getBytes(StandardCharsets.UTF_8);
  }

  static void fill(FieldVector vector, int rows, SplittableRandom random) {
    int[] ends = new int[rows + 1];
    for (int i = 0; i < rows; i++) {
      boolean isNull = vector.getField().isNullable() && random.nextInt(4) == 0;
      int items = isNull ? 0 : random.nextInt(4);
      ends[i + 1] = ends[i] + items;
      if (isNull) {
        vector.setNull(i);
      } else {
        set(vector, i, items, random);
      }
    }
    int last = ends[rows];
    switch (vector) {
      case MapVector list -> fill(list.getDataVector(), last, random);
      case ListVector list -> fill(list.getDataVector(), last, random);
      case LargeListVector list -> fill(list.getDataVector(), last, random);
      case FixedSizeListVector list -> fill(list.getDataVector(), 2 * rows, random);
      case StructVector struct ->
          struct.getChildrenFromFields().forEach(child -> fill(child, rows, random));
      default -> {}
    }
    vector.setValueCount(rows);
  }

  private static void set(FieldVector vector, int at, int items, SplittableRandom random) {
    switch (vector) {
      case TinyIntVector all -> all.setSafe(at, random.nextInt());
      case SmallIntVector all -> all.setSafe(at, random.nextInt());
      case IntVector all -> all.setSafe(at, random.nextInt());
      case BigIntVector all -> all.setSafe(at, random.nextLong());
      case UInt2Vector all -> all.setSafe(at, random.nextInt());
      case Float4Vector all -> all.setSafe(at, (float) random.nextDouble());
      case Float8Vector all -> all.setSafe(at, random.nextDouble());
      case BitVector all -> all.setSafe(at, random.nextInt(2));
      case DateDayVector all -> all.setSafe(at, random.nextInt(100_000));
      case TimeStampMicroTZVector all -> all.setSafe(at, random.nextLong(1L << 50));
      case IntervalMonthDayNanoVector all -> all.setSafe(at, 1, 2, random.nextLong());
      case DecimalVector all -> all.setSafe(at, BigDecimal.valueOf(random.nextLong(1L << 40), 3));
      case FixedSizeBinaryVector all -> {
        byte[] five = new byte[5];
        random.nextBytes(five);
        all.setSafe(at, five);
      }
      case BaseVariableWidthVector all -> all.setSafe(at, word(random));
      case LargeVarCharVector all -> all.setSafe(at, word(random));
      case ViewVarCharVector all -> all.setSafe(at, word(random));
      case ListVector all -> {
        all.startNewValue(at);
        all.endValue(at, items);
      }
      case LargeListVector all -> {
        all.startNewValue(at);
        all.endValue(at, items);
      }
      case FixedSizeListVector all -> all.setNotNull(at);
      case StructVector all -> all.setIndexDefined(at);
      case NullVector all -> {}
      default -> throw new IllegalArgumentException(vector.getClass().getName());
    }
  }

  /** Returns rows of the types that are filled by hand: unions, views of lists, runs. */
  static VectorSchemaRoot composed(BufferAllocator allocator, int rows) {
    SparseRows sparse = new SparseRows(allocator);
    DenseUnionVector dense = DenseUnionVector.empty("dense", allocator);
    byte number = dense.registerNewTypeId(field("number", integer(32)));
    byte text = dense.registerNewTypeId(field("text", new ArrowType.Utf8()));
    ListViewVector viewed = ListViewVector.empty("viewed", allocator);
    viewed.addOrGetVector(FieldType.nullable(integer(32)));
    RunEndEncodedVector runs =
        (RunEndEncodedVector)
            field(
                    "runs",
                    new ArrowType.RunEndEncoded(),
                    required("run_ends", integer(32)),
                    field("values", new ArrowType.Utf8()))
                .createVector(allocator);
    IntVector ends = (IntVector) runs.getRunEndsVector();
    VarCharVector values = (VarCharVector) runs.getValuesVector();
    UnionListViewWriter writer = viewed.getWriter();
    for (int i = 0; i < rows; i++) {
      sparse.set(i);
      dense.setTypeId(i, i % 3 == 0 ? number : text);
      if (i % 3 == 0) {
        NullableIntHolder holder = new NullableIntHolder();
        holder.isSet = 1;
        holder.value = i;
        dense.setSafe(i, holder);
      } else {
        NullableVarCharHolder holder = new NullableVarCharHolder();
        byte[] word = ("row " + i).getBytes(StandardCharsets.UTF_8);
        holder.isSet = 1;
        holder.buffer = allocator.buffer(word.length);
        holder.buffer.setBytes(0, word);
        holder.end = word.length;
        dense.setSafe(i, holder);
        holder.buffer.close();
      }
      writer.setPosition(i);
      writer.startListView();
      for (int item = 0; item < i % 4; item++) {
        writer.writeInt(i + item);
      }
      writer.endListView();
      ends.setSafe(i / 2, i + 1);
      values.setSafe(i / 2, ("run " + i / 2).getBytes(StandardCharsets.UTF_8));
    }
    ends.setValueCount((rows + 1) / 2);
    values.setValueCount((rows + 1) / 2);
    for (FieldVector vector : List.of(sparse.vector, dense, viewed, runs)) {
      vector.setValueCount(rows);
    }
    VectorSchemaRoot root = VectorSchemaRoot.of(sparse.vector, dense, viewed, runs);
    root.setRowCount(rows);
    return root;
  }

  /** A union whose types have a row each for every row. */
  private static final class SparseRows {
    final UnionVector vector;

    SparseRows(BufferAllocator allocator) {
      vector = UnionVector.empty("sparse", allocator);
    }

    void set(int at) {
      if (at % 2 == 0) {
        NullableIntHolder holder = new NullableIntHolder();
        holder.isSet = 1;
        holder.value = at;
        vector.setType(at, MinorType.INT);
        vector.setSafe(at, holder);
      } else {
        NullableFloat8Holder holder = new NullableFloat8Holder();
        holder.isSet = 1;
        holder.value = at / 8.0;
        vector.setType(at, MinorType.FLOAT8);
        vector.setSafe(at, holder);
      }
    }
  }

  /** Returns all values as text. */
  static List<String> values(VectorSchemaRoot root) {
    List<String> values = new ArrayList<>();
    for (FieldVector vector : root.getFieldVectors()) {
      for (int i = 0; i < vector.getValueCount(); i++) {
        Object value = vector.getObject(i);
        String text = value instanceof byte[] bytes ? Arrays.toString(bytes) : "" + value;
        values.add(vector.getName() + "[" + i + "]=" + text);
      }
    }
    return values;
  }
}
