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
 * Sends and receives record batches of Apache Arrow. A batch has no schema with it: the receiver's
 * root has one, which is the sender's, and may have been {@linkplain #schema sent before}. A
 * dictionary is a batch by itself, of one column; what refers to it is a column of indices, which
 * nobody compares with the dictionary's length.
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
 * <p>Safe for use by any thread, as far as a root is not used by two at a time.
 */
public final class ArrowBatches {
  private static final String FREE_BATCH =
      "the buffers of a record batch are free already: close its root when push, publish or"
          + " Received.from has returned, and make a source anew for other rows";

  private static final String FREE_LANDING =
      "the buffer of a landing is free already: close it when its transfer or call is over";

  private ArrowBatches() {}

  /**
   * Returns the rows that a root has now, as an object. Each use of it (a push, a publication, an
   * answer) holds the vectors' buffers by Arrow's count of references from its beginning to its
   * end. So the root may be closed, cleared or loaded anew as soon as {@code push}, {@code publish}
   * or {@code Received.from} has returned; values must not be set in place, nor the allocator be
   * closed, until the use is over.
   *
   * <p>Buffers are sent from where they are, uncompressed; those of up to 1 KiB are copied by this
   * method, together with their neighbours. Over RDMA long ones are registered for each transfer.
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

  /** Fails before it counts: Arrow counts a reference to what is free, and fails then. */
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
   * Loads a batch into a root, out of the memory that it arrived in: of Verbena's with {@link
   * Landing#pooled}. That counts in the allocator of the root's first column, and in Verbena's
   * {@code bulkMemoryBytes}, until Arrow's count of references to it is 0, as when the root is
   * closed. For batches that are kept for long, take memory of Arrow's: {@link #landing}. Other
   * memory of the caller's must outlive that count.
   *
   * <p>The batch is compared with the root's schema first: whatever the peer has sent, Arrow reads
   * nothing beyond it. What values mean is not looked at: whether text is UTF-8, a number fits its
   * decimal, an index its dictionary.
   *
   * <p>A column without nulls may come without the bits that say so: Arrow allocates them, one a
   * row. Few bytes may stand for 2^31 rows of a struct whose children are nulls or runs, or of a
   * list of the fixed size 0: the allocator's limit bounds the 256 MiB that Arrow then takes for
   * each.
   *
   * @param received in memory; this method's from now on, which closes it if it fails
   * @param root whose columns are replaced; empty if this fails while it loads
   * @throws RpcException of status {@code INVALID_ARGUMENT} if these bytes are not a batch of the
   *     root's schema, or one that is compressed; the message says which column, and why. Thrown by
   *     a handler, it fails the call alone
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

  /** An object's memory, which Arrow frees by closing it. */
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
   * Returns memory of Arrow's as a landing. Each transfer into it holds a reference for as long as
   * it may write there, so that a buffer that is closed too early is not freed before.
   *
   * @param buffer at least as long as the object; yours to close, when the transfer or call is over
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
   * Loads a batch into a root, out of the buffer that it {@linkplain #landing landed} in, which the
   * root holds references to from then on. The batch is compared with the root's schema as by
   * {@link #load(Received, VectorSchemaRoot)}.
   *
   * @param received what has arrived in the buffer
   * @param buffer yours to close, as soon as this has returned
   * @param root whose columns are replaced; empty if this fails while it loads
   * @throws RpcException of status {@code INVALID_ARGUMENT} if these bytes are not a batch of the
   *     root's schema
   * @throws IllegalArgumentException if it has not arrived in this buffer
   */
  public static void load(Received received, ArrowBuf buffer, VectorSchemaRoot root) {
    MemorySegment memory = received.memory();
    if (memory.address() != buffer.memoryAddress() || memory.byteSize() > buffer.capacity()) {
      throw new IllegalArgumentException(
          "a record batch is loaded from another buffer than it has arrived in");
    }
    load(BatchReader.read(memory, root), buffer, root);
  }

  /**
   * Reads a schema that a peer has sent, as {@link Schema#serializeAsMessage} writes it. Memory and
   * time are in proportion to the bytes, whatever they are.
   *
   * @param message the whole of it
   * @throws RpcException of status {@code INVALID_ARGUMENT} if these bytes are not a schema, its
   *     fields are nested more than 64 deep, or places in it stand for several
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
