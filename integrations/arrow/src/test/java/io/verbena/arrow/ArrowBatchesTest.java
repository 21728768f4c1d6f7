package io.verbena.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Record batches go from one end's vectors to the other's, and nothing of them is left. */
class ArrowBatchesTest {
  private static final int ROWS = 3000;
  private static final Duration LEASE = Duration.ofMinutes(1);

  private static VectorSchemaRoot table(BufferAllocator allocator, int rows) {
    return Tables.filled(Tables.EVERY, allocator, rows, rows);
  }

  private static VectorSchemaRoot empty(BufferAllocator allocator) {
    return VectorSchemaRoot.create(Tables.EVERY, allocator);
  }

  /** Keeps the tables that are filled from their number of rows. */
  private record Tablets(BufferAllocator allocator, CompletableFuture<Session> caller)
      implements Warehouse {

    @Override
    public byte[] schema() {
      return Tables.EVERY.serializeAsMessage();
    }

    @Override
    public Received read(int rows, Landing into) {
      try (VectorSchemaRoot table = table(allocator, rows)) {
        return Received.from(ArrowBatches.source(table));
      }
    }

    @Override
    public int take(ObjectRef batch) {
      try (VectorSchemaRoot table = empty(allocator)) {
        Transfer fetch = caller.join().objects().fetch(batch, Landing.pooled(batch.length()));
        ArrowBatches.load(fetch.get(), table);
        assertThat(table.getRowCount()).isEqualTo(ROWS);
        return Tables.values(table).hashCode();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static Ends ends(boolean rdma) {
    return new Ends(rdma, Tablets::new);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCallReturnsATable(boolean rdma) {
    try (Ends ends = ends(rdma)) {
      Warehouse warehouse = WarehouseRpc.client(ends.session);
      Schema schema = ArrowBatches.schema(warehouse.schema());
      assertThat(schema).isEqualTo(Tables.EVERY);
      try (VectorSchemaRoot got = VectorSchemaRoot.create(schema, ends.here)) {
        for (int rows : new int[] {0, 1, 8, 9, ROWS}) {
          ArrowBatches.load(warehouse.read(rows, Landing.pooled(64 << 20)), got);
          assertThat(got.getRowCount()).isEqualTo(rows);
          try (VectorSchemaRoot expected = table(ends.here, rows)) {
            assertThat(Tables.values(got)).isEqualTo(Tables.values(expected));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPublishedTableIsFetched(boolean rdma) {
    try (Ends ends = ends(rdma);
        VectorSchemaRoot table = table(ends.here, ROWS)) {
      Source source = ArrowBatches.source(table);
      int values = Tables.values(table).hashCode();
      try (Published published = ends.session.objects().publish(source, LEASE)) {
        table.clear();
        Warehouse warehouse = WarehouseRpc.client(ends.session);
        assertThat(warehouse.take(published.ref())).isEqualTo(values);
        assertThat(warehouse.take(published.ref())).isEqualTo(values);
      }
    }
  }

  /** Loads what is pushed. */
  private static final class Taking implements PushHandler {
    private final VectorSchemaRoot into;
    private final CompletableFuture<Received> loaded = new CompletableFuture<>();

    Taking(VectorSchemaRoot into) {
      this.into = into;
    }

    @Override
    public Landing offered(Offer offer) {
      return Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      ArrowBatches.load(received, into);
      loaded.complete(received);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPushedTableIsLoadedWithoutACopy(boolean rdma) throws Exception {
    try (Ends ends = ends(rdma);
        VectorSchemaRoot table = table(ends.here, ROWS);
        VectorSchemaRoot got = empty(ends.there)) {
      Taking taking = new Taking(got);
      ends.accepted.objects().onPush(taking);
      Transfer push = ends.session.objects().push("table", ArrowBatches.source(table));
      List<String> values = Tables.values(table);
      table.clear();
      push.get();
      Received received = taking.loaded.get(40, TimeUnit.SECONDS);
      assertThat(Tables.values(got)).isEqualTo(values);
      MemorySegment memory = received.memory();
      int within = 0;
      for (FieldVector vector : got.getFieldVectors()) {
        for (ArrowBuf buffer : vector.getFieldBuffers()) {
          long at = buffer.memoryAddress() - memory.address();
          within += at >= 0 && at + buffer.capacity() <= memory.byteSize() ? 1 : 0;
        }
      }
      long all = got.getFieldVectors().stream().mapToInt(one -> one.getFieldBuffers().size()).sum();
      assertThat(within).isEqualTo((int) all);
      assertThat(ends.there.getAllocatedMemory()).as("bytes for").isEqualTo(received.length());
      got.clear();
      assertThatThrownBy(received::memory).hasMessageContaining("closed");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTableLandsInMemoryOfArrows(boolean rdma) throws Exception {
    try (Ends ends = ends(rdma);
        VectorSchemaRoot table = table(ends.there, ROWS);
        VectorSchemaRoot got = empty(ends.here);
        Published published = ends.server.publish(ArrowBatches.source(table), LEASE)) {
      ObjectRef ref = published.ref();
      try (ArrowBuf buffer = ends.here.buffer(ref.length())) {
        Landing landing = ArrowBatches.landing(buffer);
        Received received = ends.session.objects().fetch(ref, landing).get();
        ArrowBatches.load(received, buffer, got);
        try (ArrowBuf other = ends.here.buffer(ref.length())) {
          assertThatThrownBy(() -> ArrowBatches.load(received, other, got))
              .hasMessageContaining("the buffer in which it arrived");
        }
      }
      assertThat(Tables.values(got)).isEqualTo(Tables.values(table));
    }
  }

  @Test
  void aBatchThatWasReceivedIsSentOn() throws Exception {
    try (Ends ends = ends(false);
        VectorSchemaRoot got = empty(ends.here);
        VectorSchemaRoot back = empty(ends.there)) {
      Taking taking = new Taking(back);
      ends.accepted.objects().onPush(taking);
      ArrowBatches.load(
          WarehouseRpc.client(ends.session).read(ROWS, Landing.pooled(64 << 20)), got);
      List<String> values = Tables.values(got);
      ends.session.objects().push("back", ArrowBatches.source(got)).get();
      got.clear();
      taking.loaded.get(40, TimeUnit.SECONDS);
      assertThat(Tables.values(back)).isEqualTo(values);
    }
  }

  @Test
  void aDictionaryIsABatchByItself() throws Exception {
    DictionaryEncoding encoding = new DictionaryEncoding(7, false, null);
    try (Ends ends = ends(false);
        VarCharVector words = new VarCharVector("words", ends.here);
        VarCharVector text = new VarCharVector("text", ends.here)) {
      words.allocateNew();
      text.allocateNew();
      for (int i = 0; i < 100; i++) {
        words.setSafe(i, word(i));
      }
      for (int i = 0; i < ROWS; i++) {
        text.setSafe(i, word(i % 100));
      }
      words.setValueCount(100);
      text.setValueCount(ROWS);
      FieldVector indices =
          (FieldVector) DictionaryEncoder.encode(text, new Dictionary(words, encoding));
      VectorSchemaRoot sent = VectorSchemaRoot.of(indices);
      VectorSchemaRoot sentWords = VectorSchemaRoot.of(words);
      try (VectorSchemaRoot got = VectorSchemaRoot.create(sent.getSchema(), ends.there);
          VectorSchemaRoot gotWords = VectorSchemaRoot.create(sentWords.getSchema(), ends.there)) {
        pushInto(ends, sentWords, gotWords);
        pushInto(ends, sent, got);
        Dictionary dictionary = new Dictionary(gotWords.getVector(0), encoding);
        assertThat(got.getVector(0)).isInstanceOf(BaseIntVector.class);
        try (var decoded = DictionaryEncoder.decode(got.getVector(0), dictionary)) {
          assertThat(decoded.getObject(ROWS - 1)).hasToString("word " + (ROWS - 1) % 100);
        }
      }
      sent.close();
    }
  }

  private static byte[] word(int number) {
    return ("word " + number).getBytes(StandardCharsets.UTF_8);
  }

  private static void pushInto(Ends ends, VectorSchemaRoot sent, VectorSchemaRoot got)
      throws Exception {
    Taking taking = new Taking(got);
    ends.accepted.objects().onPush(taking);
    ends.session.objects().push("batch", ArrowBatches.source(sent)).get();
    taking.loaded.get(40, TimeUnit.SECONDS);
  }

  @Test
  void unionsAndViewsAndRunsArrive() throws Exception {
    for (int rows : new int[] {2, 3, ROWS}) {
      try (Ends ends = ends(false);
          VectorSchemaRoot sent = Tables.composed(ends.here, rows);
          VectorSchemaRoot got = VectorSchemaRoot.create(sent.getSchema(), ends.there)) {
        pushInto(ends, sent, got);
        assertThat(Tables.values(got)).isEqualTo(Tables.values(sent));
      }
    }
  }

  @Test
  void aTableWithoutColumnsHasRows() throws Exception {
    try (Ends ends = ends(false);
        VectorSchemaRoot sent = new VectorSchemaRoot(List.<FieldVector>of());
        VectorSchemaRoot got = new VectorSchemaRoot(List.<FieldVector>of())) {
      sent.setRowCount(12);
      pushInto(ends, sent, got);
      assertThat(got.getRowCount()).isEqualTo(12);
    }
  }

  // ---- what fails ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsLeftOfABatchThatIsRefusedOrCancelledOrWhoseSessionEnds(boolean rdma) {
    try (Ends ends = ends(rdma);
        VectorSchemaRoot table = table(ends.here, 40_000)) {
      Source source = ArrowBatches.source(table);
      assertThatThrownBy(() -> ends.session.objects().push("refused", source).get())
          .isInstanceOf(TransferException.class);
      List<Transfer> offered = new ArrayList<>();
      ends.accepted.objects().onPush(offer -> landing(ends, offer, offered));
      Transfer cancelled = ends.session.objects().push("cancelled", source);
      cancelled.cancel();
      assertThatThrownBy(cancelled::get).isInstanceOf(TransferException.class);
      List<Transfer> cut = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        cut.add(ends.session.objects().push("cut " + i, source));
      }
      ends.session.close();
      cut.forEach(
          transfer ->
              transfer.result().exceptionally(failure -> null).toCompletableFuture().join());
      assertThatThrownBy(() -> ends.session.objects().push("late", source).get())
          .isInstanceOf(TransferException.class);
    }
  }

  /** A landing whose owner closes his buffer at once, and so too early. */
  private static Landing landing(Ends ends, PushHandler.Offer offer, List<Transfer> offered) {
    synchronized (offered) {
      offered.add(offer.transfer());
    }
    ArrowBuf buffer = ends.there.buffer(offer.length());
    offer.transfer().result().whenComplete((received, failure) -> buffer.close());
    return ArrowBatches.landing(buffer);
  }

  @Test
  void aCallThatIsCancelledWhileItsAnswerIsSentLeavesNothing() {
    try (Ends ends = ends(false)) {
      WarehouseRpc.Async warehouse = WarehouseRpc.async(ends.session);
      for (int i = 0; i < 5; i++) {
        CompletableFuture<Received> call =
            warehouse.read(40_000, Landing.pooled(64 << 20)).toCompletableFuture();
        if (i % 2 == 0) {
          assertThat(WarehouseRpc.client(ends.session).schema()).isNotEmpty(); // a round trip later
        }
        call.cancel(true);
      }
      assertThatThrownBy(
              () -> warehouse.read(ROWS, Landing.pooled(10)).toCompletableFuture().join())
          .hasCauseInstanceOf(RpcException.class);
    }
  }

  @Test
  void aBufferThatIsClosedTooEarlyIsFreedWhenItsTransferIsOver() throws Exception {
    try (Ends ends = ends(false);
        VectorSchemaRoot table = table(ends.there, 40_000);
        Published published = ends.server.publish(ArrowBatches.source(table), LEASE)) {
      CompletableFuture<Transfer> begun = new CompletableFuture<>();
      ArrowBuf buffer = ends.here.buffer(published.ref().length());
      Landing landing = ArrowBatches.landing(buffer).watched(begun::complete);
      Transfer fetch = ends.session.objects().fetch(published.ref(), landing);
      begun.get(40, TimeUnit.SECONDS);
      buffer.close();
      fetch.get();
      await()
          .atMost(Ends.LONG)
          .untilAsserted(() -> assertThat(ends.here.getAllocatedMemory()).isZero());
      assertThatThrownBy(() -> ends.session.objects().fetch(published.ref(), landing).get())
          .hasMessageContaining("close it only after its transfer or call has ended");
    }
  }

  @Test
  void aSourceWhoseRootWasClosedIsNotSent() {
    try (Ends ends = ends(false)) {
      VectorSchemaRoot table = table(ends.here, ROWS);
      Source source = ArrowBatches.source(table);
      table.close();
      Session session = ends.session;
      assertThatThrownBy(() -> session.objects().push("late", source))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("are free already");
      assertThatThrownBy(() -> Received.from(source)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void anAllocatorsLimitFailsTheLoadAlone() {
    try (Ends ends = ends(false);
        BufferAllocator small = ends.here.newChildAllocator("small", 0, 10_000);
        VectorSchemaRoot got = empty(small)) {
      Warehouse warehouse = WarehouseRpc.client(ends.session);
      assertThatThrownBy(
              () -> ArrowBatches.load(warehouse.read(ROWS, Landing.pooled(64 << 20)), got))
          .isInstanceOf(OutOfMemoryException.class);
      ArrowBatches.load(warehouse.read(3, Landing.pooled(64 << 20)), got);
      assertThat(got.getRowCount()).isEqualTo(3);
    }
  }
}
