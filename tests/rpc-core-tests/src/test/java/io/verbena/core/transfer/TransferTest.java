package io.verbena.core.transfer;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects go from every kind of source to every kind of destination, whole. */
class TransferTest {
  private static final int MAPPED = 1 << 20;

  private final BulkWorld bulk = new BulkWorld();

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private static void assertSame(MemorySegment found, MemorySegment expected) {
    assertThat(found.byteSize()).isEqualTo(expected.byteSize());
    assertThat(found.mismatch(expected)).as("first difference").isEqualTo(-1);
  }

  private static byte[] array(MemorySegment memory) {
    return memory.toArray(ValueLayout.JAVA_BYTE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4095, 4096, 4097, 100_000, 1_048_576, 5_000_001})
  void memoryIsFetchedIntoMemory(int length) {
    MemorySegment bytes = bulk.bytes(length, length);
    MemorySegment into = bulk.room(length);
    Transfer transfer = bulk.fetch(bulk.publish(Source.of(bytes)), Landing.of(into));
    try (Received received = bulk.await(transfer)) {
      assertThat(received.length()).isEqualTo(length);
      assertSame(into, bytes);
      assertThat(transfer.progress().bytes()).isEqualTo(length);
      assertThat(transfer.progress().total()).isEqualTo(length);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100_000, 5_000_001})
  void everySourceReachesEveryDestination(int length) throws IOException {
    MemorySegment bytes = bulk.bytes(length, length);
    Path file = directory.resolve("source");
    Files.write(file, array(bytes));
    try (FileChannel open = FileChannel.open(file)) {
      everySourceReachesEveryDestination(bytes, file, open);
      assertThat(open.isOpen()).isTrue();
      assertThat(open.position()).isZero();
    }
  }

  private void everySourceReachesEveryDestination(MemorySegment bytes, Path file, FileChannel open)
      throws IOException {
    long length = bytes.byteSize();
    MemorySegment firstHalf = bytes.asSlice(0, length / 2);
    long half = length / 2;
    List<Source> sources =
        List.of(
            Source.of(bytes),
            Source.of(array(bytes)),
            Source.file(file),
            Source.file(open, 0, length),
            Source.generator(
                length, (chunk, offset) -> chunk.copyFrom(bytes.asSlice(offset, chunk.byteSize()))),
            Source.gathered(
                Source.of(firstHalf),
                Source.file(file, half, length - half),
                Source.of(new byte[0])));
    for (Source source : sources) {
      for (boolean checked : new boolean[] {false, true}) {
        ObjectRef ref = bulk.publish(source);
        reachesEveryDestination(ref, options(checked), bytes);
      }
    }
  }

  private void reachesEveryDestination(ObjectRef ref, TransferOptions options, MemorySegment bytes)
      throws IOException {
    try (Received pooled = fetched(ref, Landing.pooled(bytes.byteSize() + 10), options)) {
      assertSame(pooled.memory(), bytes);
    }
    Path file = directory.resolve("landed");
    fetched(ref, Landing.file(file), options).close();
    assertThat(Files.readAllBytes(file)).isEqualTo(array(bytes));
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    fetched(
            ref,
            Landing.chunks(
                (chunk, offset) -> {
                  assertThat(offset).isEqualTo(chunks.size());
                  chunks.writeBytes(array(chunk));
                }),
            options)
        .close();
    assertThat(chunks.toByteArray()).isEqualTo(array(bytes));
  }

  private Received fetched(ObjectRef ref, Landing into, TransferOptions options) {
    return bulk.await(bulk.session.objects().fetch(ref, into, options));
  }

  @Test
  void aRangeIsFetched() {
    MemorySegment bytes = bulk.bytes(300_000, 1);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    MemorySegment into = bulk.room(200_000);
    bulk.await(
        bulk.session
            .objects()
            .fetch(ref, 50_001, 123_456, Landing.of(into), TransferOptions.DEFAULT));
    assertSame(into.asSlice(0, 123_456), bytes.asSlice(50_001, 123_456));
    assertThatThrownBy(
            () ->
                bulk.session
                    .objects()
                    .fetch(ref, 299_999, 2, Landing.pooled(10), TransferOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anObjectIsPushedEitherWay() {
    MemorySegment bytes = bulk.bytes(300_000, 2);
    List<byte[]> taken = new ArrayList<>();
    PushHandler handler =
        new PushHandler() {
          @Override
          public Landing offered(Offer offer) {
            return Landing.pooled(1 << 20);
          }

          @Override
          public void received(Offer offer, Received received) {
            assertThat(offer.name()).isEqualTo("photo");
            taken.add(array(received.memory()));
            received.close();
          }
        };
    Transfer first = bulk.session.objects().push("photo", Source.of(bytes));
    assertThat(bulk.awaitFailure(first))
        .hasMessageContaining("push 'photo'")
        .hasMessageContaining("onPush");
    bulk.accepted.getFirst().objects().onPush(handler);
    bulk.session.objects().onPush(handler);
    Received sent = bulk.await(bulk.session.objects().push("photo", Source.of(bytes)));
    bulk.await(bulk.accepted.getFirst().objects().push("photo", Source.of(bytes)));
    bulk.world.settle();
    assertThat(sent.length()).isEqualTo(300_000);
    assertThat(taken).containsExactly(array(bytes), array(bytes));
  }

  @Test
  void aRefusedPushSaysSo() {
    Transfer probe = bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1));
    bulk.await(probe).close();
    bulk.accepted
        .getFirst()
        .objects()
        .onPush(offer -> offer.length() > 10 ? null : Landing.pooled(5));
    Transfer refused = bulk.session.objects().push("x", Source.of(new byte[11]));
    assertThat(bulk.awaitFailure(refused).status()).isEqualTo(RpcStatus.PERMISSION_DENIED);
    Transfer tooLong = bulk.session.objects().push("x", Source.of(new byte[6]));
    assertThat(bulk.awaitFailure(tooLong)).hasMessageContaining("takes 5 bytes, the object has 6");
  }

  @Test
  void threeThousandSmallObjectsArriveThroughABoundedWindow() {
    int count = 3000;
    MemorySegment bytes = bulk.bytes(4096, 3);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    MemorySegment into = bulk.room(4096L * count);
    List<Transfer> transfers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      transfers.add(bulk.fetch(ref, Landing.of(into.asSlice(4096L * i, 4096))));
    }
    bulk.world.runUntil(() -> transfers.stream().allMatch(BulkWorld::isOver));
    for (int i = 0; i < count; i++) {
      assertSame(into.asSlice(4096L * i, 4096), bytes);
    }
    assertThat(bulk.client.bulkStats().completed()).isEqualTo(count);
  }

  @Test
  void aSlowConsumerSlowsTheSenderDownAndTakesLittleMemory() {
    int length = 12 << 20;
    long[] made = new long[1];
    long[] taken = new long[1];
    ObjectRef ref =
        bulk.publish(
            Source.generator(
                length,
                (chunk, offset) -> {
                  made[0] = offset + chunk.byteSize();
                  chunk.fill((byte) 1);
                  assertThat(made[0] - taken[0]).isLessThanOrEqualTo(10L << 20);
                }));
    Transfer transfer =
        bulk.fetch(
            ref,
            Landing.chunks(
                (chunk, offset) -> {
                  taken[0] = offset + chunk.byteSize();
                  assertThat(bulk.client.bulkStats().memoryInUse()).isLessThanOrEqualTo(4 << 20);
                }));
    bulk.await(transfer);
    assertThat(taken[0]).isEqualTo(length);
  }

  @Test
  void whatFindsNoRoomToBeReadIntoWaitsForItsTurn() {
    byte[] bytes = new byte[5 << 20];
    new Random(1).nextBytes(bytes);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    List<MemorySegment> into = new ArrayList<>();
    List<Transfer> fetches = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      into.add(bulk.room(bytes.length));
      fetches.add(bulk.fetch(ref, Landing.of(into.getLast())));
    }
    fetches.forEach(bulk::await);
    into.forEach(memory -> assertSame(memory, MemorySegment.ofArray(bytes)));
  }

  @Test
  void moreMemoryThanThereIsIsRefused() {
    ObjectRef ref = bulk.publish(Source.of(bulk.room(BulkWorld.MEMORY + 1)));
    assertThat(bulk.awaitFailure(bulk.fetch(ref, Landing.pooled(Long.MAX_VALUE))))
        .hasMessageContaining("bulkMemoryBytes")
        .hasMessageContaining("object " + ref.id());
  }

  @Test
  void aSecondLongObjectTakesTheMemoryOfTheFirst() {
    MemorySegment bytes = bulk.bytes(5_000_001, 6);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    long first;
    try (Received received = bulk.await(bulk.fetch(ref, Landing.pooled(bytes.byteSize())))) {
      first = received.memory().address();
      assertMemory(5 << 20, 0);
    }
    assertMemory(0, 5 << 20);
    MemorySegment shorter = bytes.asSlice(1, 4_500_000);
    try (Received received =
        bulk.await(bulk.fetch(bulk.publish(Source.of(shorter)), Landing.pooled(5_000_001)))) {
      assertThat(received.memory().address()).isEqualTo(first);
      assertSame(received.memory(), shorter);
      assertMemory(5 << 20, 0);
    }
    assertMemory(0, 5 << 20);
  }

  @Test
  void memoryThatIsKeptGivesWayToWhatIsWanted() {
    fetchLong(10 << 20).close();
    assertMemory(0, 10 << 20);
    fetchLong(4 << 20).close();
    assertMemory(0, 14 << 20);
    try (Received _ = fetchLong(7 << 20)) {
      assertMemory(7 << 20, 4 << 20);
    }
  }

  @Test
  void aClosedClientKeepsNothingAndFreesWhatItsUserGivesBackLater() {
    fetchLong(2 << 20).close();
    Received received = fetchLong(3 << 20);
    MemorySegment memory = received.memory();
    bulk.client.close();
    assertMemory(3 << 20, 0);
    assertThat(memory.scope().isAlive()).isTrue();
    received.close();
    assertMemory(0, 0);
    assertThat(memory.scope().isAlive()).isFalse();
  }

  private Received fetchLong(int length) {
    return bulk.await(
        bulk.fetch(bulk.publish(Source.of(bulk.room(length))), Landing.pooled(length)));
  }

  private void assertMemory(long inUse, long kept) {
    assertThat(bulk.client.bulkStats().memoryInUse()).as("in use").isEqualTo(inUse);
    assertThat(bulk.client.bulkStats().memoryKept()).as("kept").isEqualTo(kept);
  }

  @Test
  void whatIsNotPublishedCannotBeFetched() {
    Published published = bulk.server.publish(Source.of(new byte[10]), BulkWorld.LEASE);
    ObjectRef ref = published.ref();
    ObjectRef guessed = new ObjectRef(ref.id(), ref.key() + 1, 10);
    assertThat(bulk.awaitFailure(bulk.fetch(guessed, Landing.pooled(10))).status())
        .isEqualTo(RpcStatus.UNAVAILABLE);
    published.close();
    assertThat(published.isAvailable()).isFalse();
    assertThat(bulk.awaitFailure(bulk.fetch(ref, Landing.pooled(10))))
        .hasMessageContaining("not published");
  }

  @Test
  void aLeaseEndsWhenNobodyHasFetchedForItsLength() {
    Published published = bulk.server.publish(Source.of(new byte[10]), Duration.ofSeconds(3));
    bulk.world.pass(Duration.ofSeconds(2));
    bulk.await(bulk.fetch(published.ref(), Landing.pooled(10))).close();
    bulk.world.pass(Duration.ofSeconds(2));
    assertThat(published.isAvailable()).isTrue();
    assertThat(bulk.server.bulkStats().published()).isEqualTo(1);
    bulk.world.pass(Duration.ofSeconds(2));
    assertThat(published.isAvailable()).isFalse();
    assertThat(bulk.server.bulkStats().publishedBytes()).isZero();
  }

  @Test
  void aBufferIsReadAndWrittenFromItsPositionToItsLimit() {
    ByteBuffer from = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}).position(1).limit(4);
    ByteBuffer into = ByteBuffer.allocateDirect(6).position(2).limit(5);
    bulk.await(bulk.fetch(bulk.publish(Source.of(from)), Landing.of(into))).close();
    assertThat(from).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3, 4}));
    assertThat(into).isEqualTo(from);
    assertThat(into.clear()).isEqualTo(ByteBuffer.wrap(new byte[] {0, 0, 2, 3, 4, 0}));
  }

  @Test
  void aLandingThatIsTooSmallIsRefusedAtOnceWithBothLengths() {
    ObjectRef ref = bulk.publish(Source.of(new byte[100]));
    for (Landing small : List.of(Landing.of(bulk.room(99)), Landing.pooled(99))) {
      assertThatThrownBy(() -> bulk.fetch(ref, small))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("100 bytes do not fit a landing of 99");
    }
    Landing noLength = Landing.of(MemorySegment.ofAddress(bulk.room(100).address()));
    assertThatThrownBy(() -> bulk.fetch(ref, noLength))
        .hasMessageContaining("100 bytes do not fit a landing of 0")
        .hasMessageEndingWith("reinterpret it to its length");
  }

  @Test
  void whatIsShownIsNamed() {
    Published published = bulk.server.publish(Source.of(new byte[100]), BulkWorld.LEASE);
    assertThat(published).hasToString("object 1 of 100 bytes (memory), published");
    Transfer transfer = bulk.fetch(published.ref(), Landing.pooled(100));
    assertThat(transfer).hasToString("object 1: 0 bytes");
    Received received = bulk.await(transfer);
    assertThat(transfer).hasToString("object 1: 100 of 100 bytes, over");
    assertThat(received).hasToString("an object of 100 bytes, in pooled memory");
    received.close();
    assertThat(received.toString()).endsWith(", closed");
    published.close();
    assertThat(published.toString()).endsWith("no longer published");
  }

  @Test
  void eachEndOfAFailedTransferIsToldWhereItsObjectIs(@TempDir Path directory) throws Exception {
    Path file = Files.write(directory.resolve("book"), new byte[8 << 20]);
    Published published = bulk.server.publish(Source.file(file), BulkWorld.LEASE);
    Transfer transfer = bulk.fetch(published.ref(), Landing.of(bulk.room(8 << 20)));
    bulk.steps(8);
    Transfer there = published.fetches().getFirst().transfer();
    transfer.cancel();
    assertThat(bulk.awaitFailure(there)).hasMessageContaining("(file " + file + " to mem:");
    assertThat(bulk.awaitFailure(transfer))
        .hasMessageContaining("(from " + bulk.world.address() + ")")
        .message()
        .doesNotContain(file.toString());
  }

  @Test
  void whatIsNullIsNamed() {
    ObjectRef ref = bulk.publish(Source.of(new byte[10]));
    BulkObjects objects = bulk.session.objects();
    assertThatNullPointerException()
        .isThrownBy(() -> objects.fetch(ref, nothing()))
        .withMessageContaining("into");
    assertThatNullPointerException()
        .isThrownBy(() -> objects.fetch(nothing(), Landing.pooled(1)))
        .withMessageContaining("ref");
    assertThatNullPointerException()
        .isThrownBy(() -> objects.push("x", nothing()))
        .withMessageContaining("source");
    assertThatNullPointerException()
        .isThrownBy(() -> bulk.client.session(nothing()))
        .withMessageContaining("address");
  }

  /** Values that a caller without null checks may pass. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Test
  void whoeverWaitsInVainMayWaitAgain() throws Exception {
    Transfer transfer = bulk.fetch(bulk.publish(Source.of(new byte[10])), Landing.pooled(10));
    FutureTask<Received> impatient = new FutureTask<>(() -> transfer.get(Duration.ZERO));
    Thread.ofVirtual().start(impatient); // this thread is the loop's, which must not wait
    assertThatThrownBy(impatient::get).hasCauseInstanceOf(TimeoutException.class);
    bulk.await(transfer);
    try (Received received = transfer.get(Duration.ZERO)) {
      assertThat(received.length()).isEqualTo(10);
    }
  }

  @Test
  void progressHasAMeanRate() {
    Transfer transfer = bulk.fetch(bulk.publish(Source.of(new byte[10])), Landing.pooled(10));
    assertThat(transfer.progress().bytesPerSecond()).isZero();
    bulk.world.clock().advance(Duration.ofSeconds(2));
    bulk.await(transfer).close();
    bulk.world.clock().advance(Duration.ofSeconds(2));
    assertThat(transfer.progress().bytesPerSecond()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void aLeaseIsPositive(long seconds) {
    Duration lease = Duration.ofSeconds(seconds);
    Source source = Source.of(new byte[10]);
    assertThatThrownBy(() -> bulk.server.publish(source, lease))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lease must be longer than 0, not " + lease);
    assertThatThrownBy(() -> bulk.session.objects().publish(source, lease))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whoeverClosesTakesBackWhatItHasPublished() {
    Source source = Source.of(new byte[10]);
    Published ofServer = bulk.server.publish(source, BulkWorld.LEASE);
    Published ofClient = bulk.session.objects().publish(source, BulkWorld.LEASE);
    bulk.client.close();
    assertThat(ofClient.isAvailable()).isFalse();
    assertThat(ofServer.isAvailable()).isTrue();
    bulk.server.close();
    assertThat(ofServer.isAvailable()).isFalse();
    assertThatThrownBy(() -> bulk.server.publish(source, BulkWorld.LEASE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> bulk.session.objects().publish(source, BulkWorld.LEASE))
        .isInstanceOf(IllegalStateException.class);
    assertThat(bulk.server.bulkStats().published()).isZero();
  }

  @Test
  void aMappedFileThatBecameShorterFailsItsTransferAlone() throws IOException {
    Path file = Files.write(directory.resolve("mapped"), new byte[8192]);
    try (BulkWorld copying = new BulkWorld(false, server -> server.pinCutOffBytes(1 << 20));
        FileChannel open = FileChannel.open(file, READ, WRITE)) {
      MemorySegment mapped = open.map(FileChannel.MapMode.READ_ONLY, 0, 8192, copying.arena);
      open.truncate(0);
      ObjectRef ref = copying.publish(Source.of(mapped));
      assertThat(copying.awaitFailure(copying.fetch(ref, Landing.pooled(8192))))
          .hasMessageContaining("a fault occurred");
      ObjectRef sound = copying.publish(Source.of(new byte[10]));
      copying.await(copying.fetch(sound, Landing.pooled(10))).close();
      copying.assertNothingLeft();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMappedFileThatBecomesShorterWhileItIsSentFailsItsTransferAlone(boolean checked)
      throws IOException {
    try (FileChannel open = mappable()) {
      MemorySegment mapped = open.map(FileChannel.MapMode.READ_ONLY, 0, MAPPED, bulk.arena);
      ObjectRef ref = bulk.publish(Source.of(mapped));
      Transfer transfer =
          bulk.session
              .objects()
              .fetch(ref, 0, MAPPED, Landing.of(bulk.room(MAPPED)), options(checked));
      bulk.steps(10);
      open.truncate(0);
      assertFaultOf(transfer);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMappedFileThatBecomesShorterWhileItIsLandedInFailsItsTransferAlone(boolean checked)
      throws IOException {
    try (FileChannel open = mappable()) {
      MemorySegment mapped = open.map(FileChannel.MapMode.READ_WRITE, 0, MAPPED, bulk.arena);
      ObjectRef ref = bulk.publish(Source.of(bulk.room(MAPPED)));
      Transfer transfer =
          bulk.session.objects().fetch(ref, 0, MAPPED, Landing.of(mapped), options(checked));
      bulk.steps(10);
      open.truncate(0);
      assertFaultOf(transfer);
    }
  }

  private FileChannel mappable() throws IOException {
    Path file = Files.write(directory.resolve("mapped"), new byte[MAPPED]);
    return FileChannel.open(file, READ, WRITE);
  }

  private void assertFaultOf(Transfer transfer) {
    TransferException failure = bulk.awaitFailure(transfer);
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
    assertThat(failure).hasMessageContaining("a fault occurred");
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[10])), Landing.pooled(10))).close();
  }

  private static TransferOptions options(boolean checked) {
    return checked ? TransferOptions.DEFAULT.withChecksum() : TransferOptions.DEFAULT;
  }

  @Test
  void memoryThatIsFreedTooEarlyFailsItsTransferAlone() {
    Arena brief = Arena.ofShared();
    ObjectRef ref = bulk.publish(Source.of(brief.allocate(10 << 20)));
    MemorySegment sound = bulk.bytes(1 << 20, 4);
    Transfer other = bulk.fetch(bulk.publish(Source.of(sound)), Landing.of(bulk.room(1 << 20)));
    Transfer transfer = bulk.fetch(ref, Landing.of(bulk.room(10 << 20)));
    bulk.steps(8);
    brief.close();
    assertThat(bulk.awaitFailure(transfer)).hasMessageContaining("close its arena later");
    bulk.await(other);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void memoryThatIsFreedBeforeItsTransferBeginsFailsIt(boolean checked) {
    TransferOptions options = options(checked);
    Arena brief = Arena.ofShared();
    ObjectRef freed = bulk.publish(Source.of(brief.allocate(100_000)));
    ObjectRef sound = bulk.publish(Source.of(bulk.room(100_000)));
    Landing into = Landing.of(brief.allocate(100_000));
    brief.close();
    assertThat(
            bulk.awaitFailure(
                bulk.session.objects().fetch(freed, Landing.pooled(100_000), options)))
        .hasMessageContaining("close its arena later");
    assertThat(bulk.awaitFailure(bulk.session.objects().fetch(sound, into, options)))
        .hasMessageContaining("close its arena later");
    fetched(sound, Landing.pooled(100_000), options).close();
  }

  @Test
  void aLandingThatIsFreedTooEarlyFailsItsTransferAlone() {
    Arena brief = Arena.ofShared();
    ObjectRef ref = bulk.publish(Source.of(bulk.room(10 << 20)));
    Transfer transfer = bulk.fetch(ref, Landing.of(brief.allocate(10 << 20)));
    bulk.steps(8);
    brief.close();
    assertThat(bulk.awaitFailure(transfer)).hasMessageContaining("close its arena later");
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[9])), Landing.pooled(9))).close();
  }

  @Test
  void aConsumerThatFailsIsAskedNoMoreAndItsWordsAreTheCause() {
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(100_000, 5)));
    int[] taken = new int[1];
    Transfer transfer =
        bulk.fetch(
            ref,
            Landing.chunks(
                (chunk, offset) -> {
                  taken[0]++;
                  throw new IOException("the consumer has had enough");
                }));
    assertThat(bulk.awaitFailure(transfer))
        .hasMessageContaining("the consumer has had enough")
        .hasMessageContaining("object " + ref.id());
    assertThat(taken[0]).isEqualTo(1);
  }

  @Test
  void aFailingGeneratorFailsOnBothEndsWithItsWords() {
    ObjectRef ref =
        bulk.publish(
            Source.generator(
                5 << 20,
                (chunk, offset) -> {
                  if (offset > 2 << 20) {
                    throw new IllegalStateException("out of ideas");
                  }
                }));
    assertThat(bulk.awaitFailure(bulk.fetch(ref, Landing.pooled(5 << 20))))
        .hasMessageContaining("out of ideas")
        .hasMessageContaining("on the other end");
  }

  @Test
  void aCancelledTransferAsksItsGeneratorForNoMore() {
    int[] made = new int[1];
    ObjectRef ref = bulk.publish(Source.generator(64L << 20, (chunk, offset) -> made[0]++));
    Transfer transfer = bulk.fetch(ref, Landing.chunks((chunk, offset) -> {}));
    while (transfer.progress().bytes() < 5 << 20) {
      bulk.steps(1);
    }
    transfer.cancel();
    assertThat(bulk.awaitFailure(transfer).status()).isEqualTo(RpcStatus.CANCELLED);
    bulk.steps(10);
    int before = made[0];
    bulk.world.settle();
    assertThat(made[0]).isEqualTo(before).isLessThan(32);
  }

  @Test
  void aConsumerThatFailsAfterACancelLeavesNothing() {
    Transfer[] transfer = new Transfer[1];
    ObjectRef ref = bulk.publish(Source.of(bulk.room(5 << 20)));
    transfer[0] =
        bulk.fetch(
            ref,
            Landing.chunks(
                (chunk, offset) -> {
                  transfer[0].cancel();
                  bulk.world.step();
                  throw new IOException("too late to matter");
                }));
    assertThat(bulk.awaitFailure(transfer[0]).status()).isEqualTo(RpcStatus.CANCELLED);
  }

  @Test
  void confinedOrHeapMemoryIsRefusedWithItsCure() {
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment mine = confined.allocate(10);
      assertThatThrownBy(() -> Source.of(mine)).hasMessageContaining("Arena.ofShared()");
      assertThatThrownBy(() -> Landing.of(mine)).hasMessageContaining("Arena.ofShared()");
    }
    MemorySegment heap = MemorySegment.ofArray(new byte[10]);
    assertThatThrownBy(() -> Landing.of(heap)).hasMessageContaining("outside the heap");
  }

  @Test
  void aNameThatCannotBeToldToThePeerIsRefused() {
    Source source = Source.of(new byte[10]);
    assertThatThrownBy(() -> bulk.session.objects().push("half \ud83d", source))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name");
  }

  @Test
  void whatIsTakenBackIsNotHeldUntilTheEndOfItsLease() {
    byte[] bytes = new byte[1000];
    WeakReference<byte[]> held = new WeakReference<>(bytes);
    Published published = bulk.server.publish(Source.of(bytes), Duration.ofDays(1));
    bulk.world.settle();
    published.close();
    published = null;
    bytes = null;
    for (int i = 0; i < 100 && held.get() != null; i++) {
      System.gc();
      bulk.world.settle();
    }
    assertThat(held.get()).isNull();
  }

  @Test
  void anExceptionWithoutWordsEndsItsTransfer() {
    RuntimeException broken =
        new RuntimeException() {
          @Override
          public String getMessage() {
            throw new IllegalStateException("no words");
          }
        };
    ObjectRef ref =
        bulk.publish(
            Source.generator(
                10,
                (chunk, offset) -> {
                  throw broken;
                }));
    assertThat(bulk.awaitFailure(bulk.fetch(ref, Landing.pooled(10))).status())
        .isEqualTo(RpcStatus.INTERNAL);
  }
}
