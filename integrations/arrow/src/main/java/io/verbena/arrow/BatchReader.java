package io.verbena.arrow;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * Reads a batch from a peer, and compares it with the expected schema. Each buffer must be inside
 * the body and long enough for the rows of its column. Each offset, size, view, type id and run end
 * must stay inside the data that it refers to. Arrow's vectors check little of that themselves, and
 * nothing if their bounds checks are off.
 */
final class BatchReader {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int VIEW_BYTES = 16;

  /** A view of up to this length holds its bytes itself. */
  private static final int INLINE_BYTES = 12;

  private static final int TYPE_IDS = 256;

  private final MemorySegment body;
  private final long bodyAt;
  private final RecordBatch header;
  private final int rows;

  /** The nodes of all columns and their children, in the order of the format. */
  private final List<ArrowFieldNode> nodes = new ArrayList<>();

  private final List<MemorySegment> buffers = new ArrayList<>();
  private final List<Long> variadicCounts = new ArrayList<>();

  /** The name of the column that is checked. */
  private String column = "";

  /**
   * A column that was read.
   *
   * @param rows the number of its rows
   * @param validity a bit for each row that is not null; empty unless its type has a fixed width
   * @param data the values; empty unless its type has a fixed width
   */
  private record Column(int rows, MemorySegment validity, MemorySegment data) {
    Column(int rows) {
      this(rows, MemorySegment.NULL, MemorySegment.NULL);
    }
  }

  private BatchReader(MemorySegment body, long bodyAt, RecordBatch header) {
    this.body = body;
    this.bodyAt = bodyAt;
    this.header = header;
    long length = header.length();
    if (length < 0 || length > Integer.MAX_VALUE) {
      throw refused("its number of rows is %d".formatted(length));
    }
    this.rows = (int) length;
  }

  /**
   * Reads a batch.
   *
   * @param root its vectors give the types
   * @throws RpcException if the batch does not have their schema
   */
  static BatchReader read(MemorySegment object, VectorSchemaRoot root) {
    try {
      BatchReader reader = open(object);
      reader.columns(root);
      return reader;
    } catch (IndexOutOfBoundsException e) { // FlatBuffers follows any offset in the bytes
      throw new RpcException(
          RpcStatus.INVALID_ARGUMENT,
          "not a record batch: its header has an offset beyond its end",
          e);
    }
  }

  private static BatchReader open(MemorySegment object) {
    IpcMessage message = IpcMessage.of(object);
    if (message.message().headerType() != MessageHeader.RecordBatch) {
      throw refused(
          "it is a %s: agree on schemas beforehand, and send a dictionary as a record batch of its own, with one column"
              .formatted(message.kind()));
    }
    RecordBatch header = (RecordBatch) message.message().header(new RecordBatch());
    if (header == null) {
      throw refused("its header is empty");
    }
    if (header.compression() != null) {
      throw refused(
          "its buffers are compressed: send it uncompressed, or compress the object as a whole");
    }
    return new BatchReader(message.body(), message.bodyAt(), header);
  }

  private static RpcException refused(String why) {
    return new RpcException(RpcStatus.INVALID_ARGUMENT, "not a record batch: " + why);
  }

  private RpcException columnRefused(String why) {
    return new RpcException(
        RpcStatus.INVALID_ARGUMENT, "column '%s' of a record batch: %s".formatted(column, why));
  }

  int rows() {
    return rows;
  }

  /** Returns the batch as slices of Arrow's memory. */
  ArrowRecordBatch batch(ArrowBuf memory) {
    List<ArrowBuf> slices = new ArrayList<>(buffers.size());
    for (MemorySegment buffer : buffers) {
      long at = bodyAt + buffer.address() - body.address();
      slices.add(memory.slice(at, buffer.byteSize()));
    }
    return new ArrowRecordBatch(
        rows, nodes, slices, NoCompressionCodec.DEFAULT_BODY_COMPRESSION, variadicCounts, true);
  }

  private void columns(VectorSchemaRoot root) {
    for (FieldVector vector : root.getFieldVectors()) {
      Column read = column(vector, vector.getName());
      if (read.rows != rows) {
        throw columnRefused("it has %d rows, of %d".formatted(read.rows, rows));
      }
    }
    if (nodes.size() != header.nodesLength()
        || buffers.size() != header.buffersLength()
        || variadicCounts.size() != header.variadicBufferCountsLength()) {
      throw refused(
          "it has %d columns with their children, and %d buffers, where the schema has %d and %d"
              .formatted(
                  header.nodesLength(), header.buffersLength(), nodes.size(), buffers.size()));
    }
  }

  // ---- columns ----

  private Column column(FieldVector vector, String name) {
    column = name;
    ArrowFieldNode node = node();
    int length = node.getLength();
    return switch (storage(vector)) {
      case NullVector nothing -> new Column(length);
      case BaseFixedWidthVector fixed -> {
        MemorySegment validity = validity(node);
        int width = fixed.getTypeWidth();
        if (width < 0) { // the schema may come from the peer, too
          throw columnRefused("values of %d bytes".formatted(width));
        }
        yield new Column(
            length,
            validity,
            buffer(fixed instanceof BitVector ? (length + 7L) / 8 : (long) length * width));
      }
      case BaseVariableWidthVector text -> bytes(node, Integer.BYTES);
      case BaseLargeVariableWidthVector text -> bytes(node, Long.BYTES);
      case BaseVariableWidthViewVector text -> views(node);
      case StructVector struct -> {
        validity(node);
        for (FieldVector child : struct.getChildrenFromFields()) {
          requireRows(child(child, name), length);
        }
        yield new Column(length);
      }
      case ListVector list -> list(list.getDataVector(), name, node, Integer.BYTES);
      case LargeListVector list -> list(list.getDataVector(), name, node, Long.BYTES);
      case ListViewVector list -> listView(list.getDataVector(), name, node, Integer.BYTES);
      case LargeListViewVector list -> listView(list.getDataVector(), name, node, Long.BYTES);
      case FixedSizeListVector list -> {
        validity(node);
        Column items = child(list.getDataVector(), name);
        long needed = (long) length * list.getListSize();
        if (items.rows < needed) {
          throw columnRefused("%d items, where lists have %d".formatted(items.rows, needed));
        }
        yield new Column(length);
      }
      case UnionVector union -> union(union, name, length, false);
      case DenseUnionVector union -> union(union, name, length, true);
      case RunEndEncodedVector runs -> runs(runs, name, length);
      default -> throw columnRefused("vectors of " + vector.getClass() + " are not known here");
    };
  }

  private static ValueVector storage(ValueVector vector) {
    return vector instanceof ExtensionTypeVector<?> extended
        ? storage(extended.getUnderlyingVector())
        : vector;
  }

  private Column child(FieldVector child, String parent) {
    Column read = column(child, parent + "." + child.getName());
    column = parent;
    return read;
  }

  private void requireRows(Column child, int length) {
    if (child.rows != length) {
      throw columnRefused("a child has %d rows, of %d".formatted(child.rows, length));
    }
  }

  private Column list(FieldVector data, String name, ArrowFieldNode node, int width) {
    validity(node);
    long end = offsets(node.getLength(), width);
    Column items = child(data, name);
    if (end > items.rows) {
      throw columnRefused("its lists end at item %d, of %d".formatted(end, items.rows));
    }
    return new Column(node.getLength());
  }

  private Column bytes(ArrowFieldNode node, int width) {
    validity(node);
    long end = offsets(node.getLength(), width);
    buffer(end);
    return new Column(node.getLength());
  }

  /** Reads offsets, which must not decrease; returns the last of them. */
  private long offsets(int length, int width) {
    MemorySegment offsets = buffer(length == 0 ? 0 : (length + 1L) * width);
    long last = 0;
    for (int i = 0; length > 0 && i <= length; i++) {
      long offset = number(offsets, i, width);
      if (offset < last) {
        throw columnRefused("an offset of %d follows one of %d".formatted(offset, last));
      }
      last = offset;
    }
    return last;
  }

  private Column listView(FieldVector data, String name, ArrowFieldNode node, int width) {
    validity(node);
    int length = node.getLength();
    MemorySegment offsets = buffer((long) length * width);
    MemorySegment sizes = buffer((long) length * width);
    Column items = child(data, name);
    for (int i = 0; i < length; i++) {
      long offset = number(offsets, i, width);
      long size = number(sizes, i, width);
      if (offset < 0 || size < 0 || size > items.rows - offset) {
        throw columnRefused(
            "a list of %d items begins at item %d, of %d".formatted(size, offset, items.rows));
      }
    }
    return new Column(length);
  }

  private Column views(ArrowFieldNode node) {
    MemorySegment validity = validity(node);
    int length = node.getLength();
    MemorySegment views = buffer((long) length * VIEW_BYTES);
    if (variadicCounts.size() >= header.variadicBufferCountsLength()) {
      throw columnRefused("the batch does not say how many buffers it has");
    }
    long count = header.variadicBufferCounts(variadicCounts.size());
    if (count < 0 || count > header.buffersLength() - buffers.size()) {
      throw columnRefused("%d buffers".formatted(count));
    }
    variadicCounts.add(count);
    int first = buffers.size();
    for (long i = 0; i < count; i++) {
      buffer(0);
    }
    for (int i = 0; i < length; i++) {
      if (isNull(validity, node, i)) {
        continue; // the values of null rows do not matter
      }
      long at = (long) i * VIEW_BYTES;
      int size = views.get(INT, at);
      if (size < 0) {
        throw columnRefused("a view of %d bytes".formatted(size));
      }
      if (size > INLINE_BYTES) {
        int which = views.get(INT, at + 8);
        int offset = views.get(INT, at + 12);
        if (which < 0 || which >= count) {
          throw columnRefused("a view of buffer %d, of %d".formatted(which, count));
        }
        long there = buffers.get(first + which).byteSize();
        if (offset < 0 || size > there - offset) {
          throw columnRefused("a view of %d bytes from %d, of %d".formatted(size, offset, there));
        }
      }
    }
    return new Column(length);
  }

  private Column union(FieldVector vector, String name, int length, boolean dense) {
    MemorySegment ids = buffer(length);
    MemorySegment offsets = dense ? buffer((long) length * Integer.BYTES) : MemorySegment.NULL;
    int[] rowsOf = new int[TYPE_IDS]; // by type id; -1 for an unknown type
    Arrays.fill(rowsOf, -1);
    int[] known = ((ArrowType.Union) vector.getField().getType()).getTypeIds();
    List<FieldVector> children = vector.getChildrenFromFields();
    for (int i = 0; i < children.size(); i++) {
      Column child = child(children.get(i), name);
      rowsOf[Byte.toUnsignedInt((byte) (known == null ? i : known[i]))] = child.rows;
      if (vector instanceof UnionVector sparse) {
        requireRows(child, length);
        requireReadable(sparse, known == null ? i : known[i], children.get(i));
      }
    }
    for (int i = 0; i < length; i++) {
      byte id = ids.get(ValueLayout.JAVA_BYTE, i);
      int there = rowsOf[Byte.toUnsignedInt(id)];
      if (there < 0) {
        throw columnRefused("its union has no type %d".formatted(id));
      }
      long offset = dense ? number(offsets, i, Integer.BYTES) : i;
      if (offset < 0 || offset >= there) {
        throw columnRefused("row %d of type %d, of %d".formatted(offset, id, there));
      }
    }
    return new Column(length);
  }

  /**
   * Checks that Arrow finds the child. Arrow looks for the vector of a row by type and name. If it
   * finds none, it makes a short vector, and rows would be read beyond its end.
   */
  private void requireReadable(UnionVector union, int id, FieldVector child) {
    ValueVector read;
    try {
      read = union.getVectorByType(id, child.getField().getType());
    } catch (UnsupportedOperationException e) {
      return; // Arrow reads no row of that type either
    }
    if (read != child && !(child instanceof NullVector)) {
      throw columnRefused(
          "Arrow cannot read '%s' of its union: the schema must have the type id %d, and for"
                  .formatted(child.getName(), id)
              + " lists and structs Arrow's name of the type");
    }
  }

  private Column runs(RunEndEncodedVector vector, String name, int length) {
    BaseFixedWidthVector endsVector = (BaseFixedWidthVector) vector.getRunEndsVector();
    Column ends = child(endsVector, name);
    ArrowFieldNode endsNode = nodes.getLast();
    Column values = child(vector.getValuesVector(), name);
    if (values.rows != ends.rows) {
      throw columnRefused("%d values of %d runs".formatted(values.rows, ends.rows));
    }
    int width = endsVector.getTypeWidth();
    long last = 0;
    for (int i = 0; i < ends.rows; i++) {
      if (isNull(ends.validity, endsNode, i)) {
        throw columnRefused("run %d has no end".formatted(i));
      }
      long end = number(ends.data, i, width);
      if (end <= last) {
        throw columnRefused("a run ends at %d, after one that ends at %d".formatted(end, last));
      }
      last = end;
    }
    if (last != length) {
      throw columnRefused("its runs end at %d, of %d".formatted(last, length));
    }
    return new Column(length);
  }

  // ---- nodes and buffers ----

  private ArrowFieldNode node() {
    if (nodes.size() >= header.nodesLength()) {
      throw columnRefused(
          "it is missing: the batch has %d columns with their children"
              .formatted(header.nodesLength()));
    }
    FieldNode node = header.nodes(nodes.size());
    long length = node.length();
    if (length < 0 || length > Integer.MAX_VALUE) {
      throw columnRefused("it has %d rows".formatted(length));
    }
    if (node.nullCount() < -1 || node.nullCount() > length) {
      throw columnRefused("%d nulls in %d rows".formatted(node.nullCount(), length));
    }
    ArrowFieldNode read = new ArrowFieldNode(length, node.nullCount());
    nodes.add(read);
    return read;
  }

  /**
   * Reads the bits of rows that are not null. The buffer may be empty if all rows or none are null.
   */
  private MemorySegment validity(ArrowFieldNode node) {
    MemorySegment bits = buffer(0);
    int length = node.getLength();
    boolean alike = node.getNullCount() == 0 || node.getNullCount() == length;
    if (bits.byteSize() * Byte.SIZE < length && (bits.byteSize() > 0 || !alike)) {
      throw columnRefused(
          "it has validity bits for %d rows, of %d".formatted(bits.byteSize() * Byte.SIZE, length));
    }
    return cut((length + 7L) / 8);
  }

  private static boolean isNull(MemorySegment validity, ArrowFieldNode node, int row) {
    return validity.byteSize() == 0
        ? node.getNullCount() > 0
        : (validity.get(ValueLayout.JAVA_BYTE, row >> 3) >> (row & 7) & 1) == 0;
  }

  /**
   * Reads the next buffer.
   *
   * @param least the bytes that the values need, of which the buffer may have more; 0 if unknown
   * @return those bytes, or the whole buffer if unknown
   */
  private MemorySegment buffer(long least) {
    if (buffers.size() >= header.buffersLength()) {
      throw columnRefused(
          "one of its buffers is missing: the batch has %d".formatted(header.buffersLength()));
    }
    Buffer buffer = header.buffers(buffers.size());
    long offset = buffer.offset();
    long length = buffer.length();
    if (offset < 0
        || length < 0
        || offset % BatchWriter.ALIGNMENT != 0
        || length > body.byteSize() - offset) {
      throw columnRefused(
          "a buffer of %d bytes from %d, in a body of %d"
              .formatted(length, offset, body.byteSize()));
    }
    if (length < least) {
      throw columnRefused("a buffer has %d bytes, but needs %d".formatted(length, least));
    }
    buffers.add(body.asSlice(offset, length));
    return cut(least);
  }

  /**
   * Cuts the last buffer to what its values need. Arrow gives a child of a dense union as many rows
   * as the union has of its type, and fails in its middle where a buffer is longer than the one
   * that it makes for those.
   */
  private MemorySegment cut(long needed) {
    MemorySegment whole = buffers.getLast();
    if (needed == 0 || whole.byteSize() <= needed) {
      return whole;
    }
    buffers.set(buffers.size() - 1, whole.asSlice(0, needed));
    return buffers.getLast();
  }

  private static long number(MemorySegment numbers, long index, int width) {
    return switch (width) {
      case Short.BYTES -> numbers.get(SHORT, index * width);
      case Integer.BYTES -> numbers.get(INT, index * width);
      default -> numbers.get(LONG, index * width);
    };
  }
}
