package io.verbena.arrow;

import io.verbena.api.RpcException;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Sends and receives record batches of Apache Arrow. A batch travels without its schema. The
 * receiver's root must have the sender's schema, which may be {@linkplain #schema sent before}. A
 * dictionary is a batch of its own, with one column. A column that uses it holds indices; they are
 * not compared with the dictionary's length.
 *
 * <pre>{@code
 * Transfer push = session.objects().push("batch", ArrowBatches.source(root));
 *
 * public Landing offered(Offer offer) {
 *   return Landing.pooled(offer.length());
 * }
 * public void received(Offer offer, Received received) {
 *   ArrowBatches.load(received, root);
 * }
 * }</pre>
 *
 * <p>Safe for use by any thread, as long as no root is used by two threads at a time.
 */
public final class ArrowBatches {
  private static final String FREE_BATCH =
      "the buffers of a record batch are free already: close its root only after push, publish or Received.from has returned, and make a new source for other rows";

  private static final String FREE_LANDING =
      "the buffer of a landing is free already: close it only after its transfer or call has ended";

  private ArrowBatches() {}

  /**
   * Returns the present rows of a root, as an object. Each use of the object (a push, a
   * publication, an answer) holds references to the vectors' buffers, in Arrow's count, until it
   * ends. So the root may be closed, cleared or loaded again as soon as {@code push}, {@code
   * publish} or {@code Received.from} has returned. Values must not be changed in place, and the
   * allocator must not be closed, before the use has ended.
   *
   * <p>Buffers are sent from their memory, uncompressed. Buffers of up to 1 KiB are copied by this
   * method, together with adjacent ones. Over RDMA long buffers are registered for each transfer.
   *
   * @throws IllegalArgumentException if a vector has another number of buffers than its type
   */
  public static Source source(VectorSchemaRoot root) {
    try (ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
      List<ArrowBuf> buffers = List.copyOf(batch.getBuffers());
      return BatchWriter.write(batch)
          .counted(() -> retain(buffers, FREE_BATCH), () -> buffers.forEach(ArrowBatches::release));
    }
  }

  /**
   * Adds references to buffers, and fails before the first if one is free. Arrow would add the
   * reference first, and fail then.
   */
  private static void retain(List<ArrowBuf> buffers, String whenFree) {
    if (buffers.stream().anyMatch(buffer -> buffer.refCnt() <= 0)) {
      throw new IllegalStateException(whenFree);
    }
    buffers.forEach(buffer -> buffer.getReferenceManager().retain());
  }

  private static void release(ArrowBuf buffer) {
    buffer.getReferenceManager().release();
  }

  /**
   * Loads a batch into a root, without a copy. The memory is Verbena's with {@link Landing#pooled}.
   * It counts in the allocator of the root's first column, and in Verbena's {@code
   * bulkMemoryBytes}, until Arrow's count of references to it is 0, which is so when the root is
   * closed. For batches that are kept for long, use memory of Arrow's: {@link #landing}. Other
   * memory of the caller's must stay valid until that count is 0.
   *
   * <p>The batch is compared with the root's schema first. So Arrow never reads beyond the batch,
   * whatever the peer has sent. The meaning of values is not checked: text may not be UTF-8, a
   * number may not fit its decimal, an index may not be in its dictionary.
   *
   * <p>A column without nulls may come without validity bits. Arrow then allocates them, one a row.
   * A few bytes may stand for 2^31 rows of a struct whose children are nulls or runs, or of a list
   * of the fixed size 0. Arrow takes 256 MiB for each such column; the allocator's limit bounds
   * that.
   *
   * @param received in memory; this method takes it over, and closes it if it fails
   * @param root its columns are replaced; it is empty if this method fails while it loads
   * @throws RpcException with status {@code INVALID_ARGUMENT} if these bytes are not a batch of the
   *     root's schema, or if they are compressed; the message names the column and the reason. If a
   *     handler throws it, only its call fails
   * @throws org.apache.arrow.memory.OutOfMemoryException if the allocator's limit does not allow it
   */
  public static void load(Received received, VectorSchemaRoot root) {
    boolean loaded = false;
    try {
      MemorySegment memory = received.memory();
      BatchReader batch = BatchReader.read(memory, root);
      if (root.getFieldVectors().isEmpty()) {
        root.setRowCount(batch.rows());
        return; // nothing refers to the memory
      }
      try (ArrowBuf buffer =
          root.getVector(0).getAllocator().wrapForeignAllocation(new Arrived(received, memory))) {
        load(batch, buffer, root);
      }
      loaded = true;
    } finally {
      if (!loaded) {
        received.close();
      }
    }
  }

  /** The memory of an object. Arrow frees it by closing the object. */
  private static final class Arrived extends ForeignAllocation {
    private final Received received;

    Arrived(Received received, MemorySegment memory) {
      super(memory.byteSize(), memory.address());
      this.received = received;
    }

    @Override
    protected void release0() {
      received.close();
    }
  }

  /**
   * Returns Arrow's memory as a landing. Each transfer into it holds a reference as long as it may
   * write there. So a buffer that is closed too early is freed only after the transfer.
   *
   * @param buffer at least as long as the object; the caller closes it after the transfer or call
   */
  public static Landing landing(ArrowBuf buffer) {
    return Landing.of(BatchWriter.memory(buffer, buffer.capacity()))
        .watched(
            transfer -> {
              retain(List.of(buffer), FREE_LANDING);
              transfer.result().whenComplete((received, failure) -> release(buffer));
            });
  }

  /**
   * Loads a batch into a root from the buffer in which it {@linkplain #landing landed}. The root
   * then holds references to the buffer. The batch is compared with the root's schema as in {@link
   * #load(Received, VectorSchemaRoot)}.
   *
   * @param received the object that has arrived in the buffer
   * @param buffer the caller closes it after this method has returned
   * @param root its columns are replaced; it is empty if this method fails while it loads
   * @throws RpcException with status {@code INVALID_ARGUMENT} if these bytes are not a batch of the
   *     root's schema
   * @throws IllegalArgumentException if the object has not arrived in this buffer
   */
  public static void load(Received received, ArrowBuf buffer, VectorSchemaRoot root) {
    MemorySegment memory = received.memory();
    if (memory.address() != buffer.memoryAddress() || memory.byteSize() > buffer.capacity()) {
      throw new IllegalArgumentException(
          "a record batch must be loaded from the buffer in which it arrived");
    }
    load(BatchReader.read(memory, root), buffer, root);
  }

  /**
   * Reads a schema from a peer, in the format that {@link Schema#serializeAsMessage} writes. The
   * memory and time that it takes are proportional to the bytes, whatever they are.
   *
   * @param message the whole message
   * @throws RpcException with status {@code INVALID_ARGUMENT} if these bytes are not a schema, if
   *     its fields nest more than 64 deep, or if parts of it are used more than once
   */
  public static Schema schema(byte[] message) {
    return SchemaReader.read(message);
  }

  private static void load(BatchReader read, ArrowBuf buffer, VectorSchemaRoot root) {
    boolean loaded = false;
    try (ArrowRecordBatch batch = read.batch(buffer)) {
      new VectorLoader(root).load(batch);
      loaded = true;
    } finally {
      if (!loaded) {
        root.clear();
      }
    }
  }
}
