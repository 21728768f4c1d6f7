package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.mem.InMemoryNetwork.Admission;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A file of which a part came before its link, its peer or its process was lost. Each world has a
 * client and a server of its own: the next one knows nothing but what the last one left on disk.
 */
class ResumedFileTest {
  private static final int STRIDE = Boolean.getBoolean("verbena.long") ? 1 : 3;
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = (6 << 20) + 12_345;
  private static final byte[] CONTENT = bytes(1, LENGTH);
  private static final int SUMS_HEADER = 16;

  /** How an object gets into a file. */
  private enum Way {
    FETCH,
    PUSH,
    CALL
  }

  /** The source. */
  private enum From {
    MEMORY,
    ARRAY,
    FILE,
    GATHERED,
    MADE
  }

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @SuppressWarnings("NullAway.Init") // before each
  private Path file;

  private byte[] content = CONTENT;
  private @Nullable Source answer;

  private static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  @BeforeEach
  void name() {
    file = directory.resolve("file");
  }

  @AfterEach
  void nothingIsLeftOpen() throws IOException {
    Path descriptors = Path.of("/proc/self/fd");
    if (Files.isDirectory(descriptors)) {
      try (Stream<Path> open = Files.list(descriptors)) {
        assertThat(open.map(ResumedFileTest::target)).noneMatch(to -> to.startsWith(directory));
      }
    }
  }

  private static Path target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor);
    } catch (IOException e) {
      return descriptor; // closed meanwhile
    }
  }

  private Path part() {
    return directory.resolve("file.verbena.part");
  }

  private Path sums() {
    return directory.resolve("file.verbena.sums");
  }

  /** Answers with what is to be sent. */
  private final class Serving implements Library {
    @Override
    public Received read(String title, Landing into) {
      return Received.from(Objects.requireNonNull(answer));
    }

    @Override
    public Loan borrow(String title) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Received cover(Landing into, int page) {
      throw new UnsupportedOperationException();
    }
  }

  private BulkWorld world() {
    return new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Serving())));
  }

  private Source source(BulkWorld bulk, From from) throws IOException {
    return switch (from) {
      case MEMORY -> Source.of(bulk.arena.allocate(content.length).copyFrom(segment(content)));
      case ARRAY -> Source.of(content);
      case FILE -> {
        Path sent = Files.createTempDirectory(directory, "sent").resolve("file");
        yield Source.file(Files.write(sent, content));
      }
      case GATHERED ->
          Source.gathered(
              Source.of(Arrays.copyOf(content, 100)),
              Source.of(Arrays.copyOfRange(content, 100, content.length)));
      case MADE ->
          Source.generator(
              content.length,
              (chunk, at) -> chunk.copyFrom(segment(content).asSlice(at, chunk.byteSize())));
    };
  }

  private static MemorySegment segment(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }

  private CompletionStage<Received> begin(
      BulkWorld bulk, Way way, Source source, TransferOptions options) {
    bulk.open();
    return switch (way) {
      case FETCH ->
          bulk.session.objects().fetch(bulk.publish(source), Landing.file(file), options).result();
      case PUSH -> {
        bulk.accepted.getFirst().objects().onPush(offer -> Landing.file(file));
        yield bulk.session.objects().push("x", source, options).result();
      }
      case CALL -> {
        answer = source;
        yield LibraryRpc.async(bulk.session).read("x", Landing.file(file));
      }
    };
  }

  private static long sent(BulkWorld bulk, Way way) {
    BulkStats sender = way == Way.PUSH ? bulk.client.bulkStats() : bulk.server.bulkStats();
    return sender.bytesSent();
  }

  private long blocksKnown() {
    try {
      return Files.exists(sums()) ? (Files.size(sums()) - SUMS_HEADER) / Integer.BYTES : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Loses the peer midway, and everything but what is on the disk; returns what is known good. */
  private long loseMidway(Way way, From from, TransferOptions options) throws IOException {
    try (BulkWorld bulk = world()) {
      CompletionStage<Received> transfer = begin(bulk, way, source(bulk, from), options);
      stepUntil(bulk, () -> blocksKnown() >= 2 || Files.exists(file) || isHalfThere());
      lose(bulk);
      assertThatThrownBy(() -> bulk.await(transfer)).isInstanceOf(CompletionException.class);
      bulk.world.runUntil(
          () ->
              bulk.server.bulkStats().sending() + bulk.server.bulkStats().receiving() == 0
                  && bulk.client.bulkStats().sending() + bulk.client.bulkStats().receiving() == 0);
      bulk.assertNothingLeft();
    }
    assertThat(file).doesNotExist();
    return blocksKnown() * BLOCK;
  }

  private static void lose(BulkWorld bulk) {
    URI address = URI.create(bulk.world.address());
    bulk.world.network().admit(address, InMemoryNetwork.Admission.NOBODY_LISTENS);
    bulk.world.network().drop(address, "its process is gone");
  }

  private static void stepUntil(BulkWorld bulk, BooleanSupplier midway) {
    for (int i = 0; i < 100_000 && !midway.getAsBoolean(); i++) {
      bulk.steps(1);
    }
    assertThat(midway.getAsBoolean()).isTrue();
  }

  private boolean isHalfThere() {
    try {
      return Files.exists(part()) && Files.size(part()) > LENGTH / 2;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends it again in a new world; returns how many bytes went over the link. */
  private long again(Way way, From from) throws IOException {
    try (BulkWorld bulk = world()) {
      bulk.await(begin(bulk, way, source(bulk, from), TransferOptions.DEFAULT)).close();
      assertThat(Arrays.mismatch(Files.readAllBytes(file), content)).isEqualTo(-1);
      assertThat(part()).doesNotExist();
      assertThat(sums()).doesNotExist();
      bulk.assertNothingLeft();
      return sent(bulk, way);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "FETCH, MEMORY",
    "FETCH, ARRAY",
    "FETCH, FILE",
    "FETCH, GATHERED",
    "PUSH, MEMORY",
    "PUSH, ARRAY",
    "PUSH, FILE",
    "PUSH, GATHERED",
    "CALL, MEMORY",
    "CALL, ARRAY",
    "CALL, FILE",
    "CALL, GATHERED"
  })
  void whatCameBeforeThePeerWasLostDoesNotTravelAgain(Way way, From from) throws IOException {
    long good = loseMidway(way, from, TransferOptions.DEFAULT);
    assertThat(good).isBetween(2L * BLOCK, LENGTH - 1L);
    assertThat(part()).exists();
    assertThat(again(way, from)).isEqualTo(LENGTH - good);
  }

  @Test
  void whoWatchesSeesFromWhereItWentOn() throws IOException {
    long good = loseMidway(Way.FETCH, From.FILE, TransferOptions.DEFAULT);
    try (BulkWorld bulk = world()) {
      bulk.open();
      Transfer transfer = bulk.fetch(bulk.publish(source(bulk, From.FILE)), Landing.file(file));
      bulk.await(transfer).close();
      assertThat(transfer.progress().resumedFrom()).isEqualTo(good);
      assertThat(transfer.toString()).contains("resumed at byte " + good);
      bulk.assertNothingLeft();
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void whatIsMadeIsMadeAnew(Way way) throws IOException {
    assertThat(loseMidway(way, From.MADE, TransferOptions.DEFAULT)).isPositive();
    assertThat(again(way, From.MADE)).isEqualTo(LENGTH);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void anotherObjectOfTheSameLengthIsSentFromItsBeginning(Way way) throws IOException {
    assertThat(loseMidway(way, From.FILE, TransferOptions.DEFAULT)).isPositive();
    content = bytes(2, LENGTH);
    assertThat(again(way, From.FILE)).isEqualTo(LENGTH);
  }

  @ParameterizedTest
  @CsvSource({"-100000", "100000", "-6000000", "6000000"})
  void anObjectOfAnotherLengthIsSentFromItsBeginning(int more) throws IOException {
    assertThat(loseMidway(Way.FETCH, From.FILE, TransferOptions.DEFAULT)).isPositive();
    content = Arrays.copyOf(content, LENGTH + more);
    assertThat(again(Way.FETCH, From.FILE)).isEqualTo(LENGTH + more);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aBlockThatIsNotAsItWasStoredIsSentAgain(Way way) throws IOException {
    assertThat(loseMidway(way, From.FILE, TransferOptions.DEFAULT)).isGreaterThan(BLOCK);
    try (RandomAccessFile open = new RandomAccessFile(part().toFile(), "rw")) {
      open.seek(BLOCK + 77);
      int was = open.read();
      open.seek(BLOCK + 77);
      open.write(was ^ 1);
    }
    assertThat(again(way, From.FILE)).isEqualTo(LENGTH - BLOCK);
  }

  @Test
  void aPartThatIsShorterThanItsSumsIsGoodAsFarAsItGoes() throws IOException {
    assertThat(loseMidway(Way.FETCH, From.FILE, TransferOptions.DEFAULT)).isPositive();
    try (RandomAccessFile open = new RandomAccessFile(part().toFile(), "rw")) {
      open.setLength(2 * BLOCK - 1);
    }
    assertThat(again(Way.FETCH, From.FILE)).isEqualTo(LENGTH - BLOCK);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "8, 0", "16, 0", "19, 0", "20, 1", "23, 1"})
  void sumsThatAreTornCountAsFarAsTheyGo(int length, int good) throws IOException {
    assertThat(loseMidway(Way.FETCH, From.FILE, TransferOptions.DEFAULT)).isPositive();
    try (RandomAccessFile open = new RandomAccessFile(sums().toFile(), "rw")) {
      open.setLength(length);
    }
    assertThat(again(Way.FETCH, From.FILE)).isEqualTo(LENGTH - (long) good * BLOCK);
  }

  @ParameterizedTest
  @CsvSource({"0", "8", "16"})
  void sumsThatAreGarbageFromSomewhereOnCountForNothing(int from) throws IOException {
    assertThat(loseMidway(Way.FETCH, From.FILE, TransferOptions.DEFAULT)).isPositive();
    try (RandomAccessFile open = new RandomAccessFile(sums().toFile(), "rw")) {
      open.seek(from);
      open.write(bytes(3, 100_000));
    }
    assertThat(again(Way.FETCH, From.FILE)).isEqualTo(LENGTH);
  }

  @Test
  void aPartWithoutSumsIsReplaced() throws IOException {
    Files.write(part(), content, StandardOpenOption.CREATE_NEW);
    assertThat(again(Way.FETCH, From.FILE)).isEqualTo(LENGTH);
  }

  @Test
  void whatIsLostTwiceIsGoneOnWithTwice() throws IOException {
    long first = loseMidway(Way.FETCH, From.FILE, TransferOptions.DEFAULT);
    try (BulkWorld bulk = world()) {
      CompletionStage<Received> transfer =
          begin(bulk, Way.FETCH, source(bulk, From.FILE), TransferOptions.DEFAULT);
      stepUntil(bulk, () -> blocksKnown() * BLOCK > first);
      lose(bulk);
      assertThatThrownBy(() -> bulk.await(transfer)).hasMessageContaining("UNAVAILABLE");
    }
    long second = blocksKnown() * BLOCK;
    assertThat(second).isGreaterThan(first);
    assertThat(again(Way.FETCH, From.FILE)).isEqualTo(LENGTH - second);
  }

  @Test
  void aLinkThatIsLostOnTheWayOnChangesNothing() throws IOException {
    long good = loseMidway(Way.FETCH, From.FILE, TransferOptions.DEFAULT);
    for (int steps = 0; steps < 40; steps += STRIDE) {
      Path before = Files.createDirectories(directory.resolve("kept" + steps));
      Files.copy(part(), before.resolve("part"));
      Files.copy(sums(), before.resolve("sums"));
      try (BulkWorld bulk = world()) {
        CompletionStage<Received> transfer =
            begin(bulk, Way.FETCH, source(bulk, From.FILE), TransferOptions.DEFAULT);
        bulk.steps(steps);
        URI address = URI.create(bulk.world.address());
        bulk.world.network().drop(address, "lost");
        bulk.await(transfer).close();
        assertThat(Arrays.mismatch(Files.readAllBytes(file), content)).isEqualTo(-1);
        assertThat(sent(bulk, Way.FETCH)).isLessThan(LENGTH - good + 2L * BLOCK);
        bulk.assertNothingLeft();
      }
      Files.delete(file);
      Files.move(before.resolve("part"), part());
      Files.move(before.resolve("sums"), sums());
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void nothingStaysOfWhatIsGivenUp(Way way) throws IOException {
    for (int steps = 0; steps < 60; steps += 3 * STRIDE) {
      try (BulkWorld bulk = world()) {
        CompletionStage<Received> transfer =
            begin(bulk, way, source(bulk, From.ARRAY), TransferOptions.DEFAULT);
        bulk.steps(steps);
        transfer.toCompletableFuture().cancel(true);
        bulk.world.runUntil(() -> transfer.toCompletableFuture().isDone());
        bulk.assertNothingLeft();
      }
      assertThat(directory).isEmptyDirectory();
    }
  }

  /** The sender reads on, or not, when nobody wants to know any more. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void whatIsGivenUpWhileItIsGoneOnWithIsNotKeptEither(Way way) throws IOException {
    assertThat(loseMidway(way, From.ARRAY, TransferOptions.DEFAULT)).isPositive();
    byte[] part = Files.readAllBytes(part());
    byte[] sums = Files.readAllBytes(sums());
    for (int steps = 0; steps < 20; steps += STRIDE) {
      Files.write(part(), part);
      Files.write(sums(), sums);
      try (BulkWorld bulk = world()) {
        CompletionStage<Received> transfer =
            begin(bulk, way, source(bulk, From.ARRAY), TransferOptions.DEFAULT);
        for (int i = 0; i < steps; i++) {
          bulk.world.step();
          if (i % 2 == 0) {
            bulk.world.runHandlers();
          }
        }
        transfer.toCompletableFuture().cancel(true);
        bulk.world.runUntil(() -> transfer.toCompletableFuture().isDone());
        bulk.assertNothingLeft();
      }
      Files.deleteIfExists(part());
      Files.deleteIfExists(sums());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"FETCH", "PUSH"})
  void withoutAChecksumNothingIsKeptNorGoneOnWith(Way way) throws IOException {
    assertThat(loseMidway(way, From.FILE, TransferOptions.DEFAULT.withoutChecksum())).isZero();
    assertThat(part()).doesNotExist();
    assertThat(sums()).doesNotExist();
    assertThat(loseMidway(way, From.FILE, TransferOptions.DEFAULT)).isPositive();
    try (BulkWorld bulk = world()) {
      TransferOptions unchecked = TransferOptions.DEFAULT.withoutChecksum();
      bulk.await(begin(bulk, way, source(bulk, From.FILE), unchecked)).close();
      assertThat(sent(bulk, way)).isEqualTo(LENGTH);
    }
    assertThat(sums()).doesNotExist();
  }

  /** Unasked: memory that changes while it is sent is noticed. */
  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"FETCH", "PUSH"})
  void aFileIsChecksummedByDefault(Way way) throws IOException {
    try (BulkWorld bulk = world()) {
      var memory = bulk.bytes(LENGTH, 4);
      CompletionStage<Received> transfer =
          begin(bulk, way, Source.of(memory), TransferOptions.DEFAULT);
      stepUntil(bulk, () -> blocksKnown() >= 1);
      var last = ValueLayout.JAVA_BYTE;
      memory.set(last, LENGTH - 1, (byte) (memory.get(last, LENGTH - 1) ^ 1));
      assertThatThrownBy(() -> bulk.await(transfer))
          .hasMessageContaining(RpcStatus.PROTOCOL_ERROR.name())
          .hasMessageContaining("its checksum is ");
      bulk.assertNothingLeft();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aPartThatAnotherTransferHasIsRefusedAndStays() throws IOException {
    long good = loseMidway(Way.FETCH, From.ARRAY, TransferOptions.DEFAULT);
    try (BulkWorld bulk = world()) {
      Source source = source(bulk, From.ARRAY);
      bulk.open();
      var ref = bulk.publish(source);
      Transfer first = bulk.fetch(ref, Landing.file(file));
      stepUntil(bulk, () -> first.progress().bytes() > good);
      Transfer second = bulk.fetch(ref, Landing.file(file));
      assertThat(bulk.awaitFailure(second)).hasMessageContaining("another transfer goes to");
      bulk.await(first).close();
      assertThat(sent(bulk, Way.FETCH)).isEqualTo(LENGTH - good);
      bulk.assertNothingLeft();
    }
  }

  private Transfer push(BulkWorld bulk, Source source) {
    bulk.accepted.getLast().objects().onPush(offer -> Landing.file(file));
    return bulk.session.objects().push("x", source);
  }

  /** A pusher that is killed and started again: its old session has yet to end at the receiver. */
  @Test
  void aPartOfASessionWithoutALinkGivesWayToTheNextTransfer() throws IOException {
    try (BulkWorld bulk = world()) {
      Source source = source(bulk, From.ARRAY);
      bulk.open();
      Transfer first = push(bulk, source);
      stepUntil(bulk, () -> blocksKnown() >= 2);
      long lost = bulk.world.clock().nanoTime();
      lose(bulk);
      bulk.awaitFailure(first);
      bulk.world.network().admit(URI.create(bulk.world.address()), Admission.ACCEPT);
      bulk.world.pass(Duration.ofSeconds(1)); // until it connects again
      bulk.open();
      assertThat(bulk.accepted).as("sessions, of which the first has no link").hasSize(2);
      long before = sent(bulk, Way.PUSH);
      bulk.await(push(bulk, source)).close();
      assertThat(Duration.ofNanos(bulk.world.clock().nanoTime() - lost))
          .isLessThan(SessionLimits.DEFAULT.resumeWindow());
      assertThat(sent(bulk, Way.PUSH) - before).isLessThanOrEqualTo(LENGTH - 2 * BLOCK);
      assertThat(Arrays.mismatch(Files.readAllBytes(file), content)).isEqualTo(-1);
      assertThat(part()).doesNotExist();
      bulk.assertNothingLeft();
    }
  }

  @Test
  void aPartOfASessionWithALinkIsRefusedForNowAndThePeerNotToldWhoseItIs() throws IOException {
    try (BulkWorld bulk = world()) {
      Source source = source(bulk, From.ARRAY);
      bulk.open();
      Transfer first = push(bulk, source);
      stepUntil(bulk, () -> blocksKnown() >= 1);
      TransferException refused = bulk.awaitFailure(push(bulk, source));
      assertThat(refused.status()).isEqualTo(RpcStatus.UNAVAILABLE);
      assertThat(refused)
          .hasMessageContaining("an earlier one of this session: try again when that has ended")
          .hasMessageNotContaining(bulk.accepted.getFirst().peer().address())
          .hasMessageNotContaining(directory.toString());
      bulk.await(first).close();
      bulk.assertNothingLeft();
    }
  }
}
