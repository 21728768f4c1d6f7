package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results of calls go to the landings that their callers give. */
class LandingCallTest {
  private static final int LENGTH = 300_000;

  private final BulkWorld bulk =
      new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Serving())));
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);
  private Library served = new Shelves();

  /** Has one book. */
  private class Shelves implements Library {
    @Override
    public Received read(String title, Landing into) throws NoSuchBook {
      return switch (title) {
        case "missing" -> throw new NoSuchBook("no " + title);
        case "burnt" -> throw new IllegalStateException("it burnt");
        case "empty" -> Received.from(Source.of(new byte[0]));
        default -> Received.from(Source.of(bytes));
      };
    }

    @Override
    public Loan borrow(String title) {
      return new Loan(title, bulk.server.publish(Source.of(bytes), BulkWorld.LEASE).ref());
    }

    @Override
    public Received cover(Landing into, int page) {
      return Received.from(Source.of(new byte[] {(byte) page}));
    }
  }

  /** Serves whatever a test puts in its place. */
  private final class Serving implements Library {
    @Override
    public Received read(String title, Landing into) throws NoSuchBook {
      return served.read(title, into);
    }

    @Override
    public Loan borrow(String title) {
      return served.borrow(title);
    }

    @Override
    public Received cover(Landing into, int page) {
      return served.cover(into, page);
    }
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    assertThat(bulk.client.slotsInUse()).as("slots in use").isZero();
    bulk.close();
  }

  private LibraryRpc.Async library() {
    return LibraryRpc.async(bulk.session);
  }

  private <T> T await(CompletionStage<T> stage) {
    return bulk.await(stage);
  }

  private RpcException failure(CompletionStage<?> stage) {
    return bulk.awaitFailure(stage, RpcException.class);
  }

  @Test
  void aResultLandsInMemoryOfTheCallers() {
    MemorySegment into = bulk.room(LENGTH + 1000);
    try (Received received = await(library().read("book", Landing.of(into)))) {
      assertThat(received.length()).isEqualTo(LENGTH);
      assertThat(received.memory().mismatch(bytes)).isEqualTo(-1);
      assertThat(into.asSlice(0, LENGTH).mismatch(bytes)).isEqualTo(-1);
    }
  }

  @Test
  void aResultLandsInPooledMemoryOfEitherSize() {
    for (long max : new long[] {LENGTH, 4 << 20}) {
      try (Received received = await(library().read("book", Landing.pooled(max)))) {
        assertThat(received.memory().mismatch(bytes)).isEqualTo(-1);
        assertThat(bulk.client.bulkStats().memoryInUse()).isPositive();
      }
    }
  }

  @Test
  void aResultLandsInAFile(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("book");
    await(library().read("book", Landing.file(file))).close();
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void aFileThatCannotBeOpenedFailsItsCall(@TempDir Path directory) {
    Path file = directory.resolve("missing").resolve("book");
    RpcException failure = failure(library().read("book", Landing.file(file)));
    assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(failure)
        .hasMessageContaining("cannot open " + file)
        .hasMessageContaining("no such file or directory");
  }

  @Test
  void anEmptyResultAndOneOfANonBlockingMethod() {
    try (Received empty = await(library().read("empty", Landing.pooled(10)))) {
      assertThat(empty.length()).isZero();
    }
    try (Received cover = await(library().cover(Landing.pooled(10), 7))) {
      assertThat(cover.memory().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
    }
  }

  @Test
  void manyCallsLandAtOnce() {
    List<CompletionStage<Received>> calls = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      calls.add(library().read("book", Landing.of(bulk.room(LENGTH))));
    }
    for (CompletionStage<Received> call : calls) {
      assertThat(await(call).memory().mismatch(bytes)).isEqualTo(-1);
    }
  }

  @Test
  void aReferenceTravelsInAResultAndIsFetched() {
    Library.Loan loan = await(library().borrow("book"));
    assertThat(loan.ref().length()).isEqualTo(LENGTH);
    try (Received received = bulk.await(bulk.fetch(loan.ref(), Landing.pooled(LENGTH)))) {
      assertThat(received.memory().mismatch(bytes)).isEqualTo(-1);
    }
  }

  @Test
  void aDeclaredExceptionArrivesAndTheLandingIsFree() {
    MemorySegment into = bulk.room(LENGTH);
    CompletableFuture<Received> call =
        library().read("missing", Landing.of(into)).toCompletableFuture();
    bulk.world.runUntil(call::isDone);
    assertThat(call)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(Library.NoSuchBook.class);
    assertThat(failure(library().read("burnt", Landing.of(into)))).hasMessageContaining("it burnt");
    await(library().read("book", Landing.of(into))).close();
  }

  @Test
  void aLandingThatIsTooSmallFailsItsCallWithBothLengths() {
    assertThat(failure(library().read("book", Landing.of(bulk.room(1000)))))
        .hasMessageContaining("takes 1000 bytes, the object has " + LENGTH)
        .hasMessageContaining("library.v1/read");
  }

  @Test
  void onlyWhatArrivesIsClaimed() {
    await(library().read("book", Landing.pooled(BulkWorld.MEMORY * 2))).close();
  }

  @Test
  void anAnswerThatIsNotMadeForItFailsTheCall() {
    served =
        new Shelves() {
          @Override
          public Received read(String title, Landing into) {
            return new Received() {
              @Override
              public long length() {
                return 1;
              }

              @Override
              public MemorySegment memory() {
                return bytes;
              }

              @Override
              public void close() {}
            };
          }
        };
    assertThat(failure(library().read("book", Landing.pooled(10))))
        .hasMessageContaining("Received.from(source)");
  }

  @Test
  void aDeadlinePassesWithTheObjectUnderWayAndNobodyWritesAfterwards() {
    MemorySegment into = bulk.room(LENGTH);
    bulk.open();
    CompletableFuture<Received> call =
        LibraryRpc.async(bulk.session, CallOptions.timeout(Duration.ofSeconds(1)))
            .read("book", Landing.of(into))
            .toCompletableFuture();
    bulk.steps(10);
    bulk.world.network().cut(URI.create(bulk.world.address()));
    assertThat(failure(call).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    into.fill((byte) 0x55);
    bulk.world.network().heal(URI.create(bulk.world.address()));
    bulk.world.pass(Duration.ofMillis(100));
    BulkWorld.assertFilled(into, 0x55);
  }

  @Test
  void aCancelledCallLetsGoOfItsLanding() {
    for (int step = 0; step < 60; step += 2) {
      CompletableFuture<Received> call =
          library().read("book", Landing.pooled(LENGTH)).toCompletableFuture();
      bulk.steps(step);
      if (!call.cancel(true)) {
        call.join().close();
      }
      bulk.assertNothingLeft();
    }
  }

  @Test
  void anAnswerThatComesAfterItsDeadlineIsNotKept(@TempDir Path directory) throws IOException {
    byte[] inside = bytes.toArray(ValueLayout.JAVA_BYTE);
    Source book = Source.file(Files.write(directory.resolve("book"), inside));
    served =
        new Shelves() {
          @Override
          public Received read(String title, Landing into) {
            bulk.world.pass(Duration.ofSeconds(2)); // the handler's, while the deadline passes
            assertThat(Thread.interrupted()).isTrue();
            return Received.from(book);
          }
        };
    CompletionStage<Received> call =
        LibraryRpc.async(bulk.session, CallOptions.timeout(Duration.ofSeconds(1)))
            .read("book", Landing.of(bulk.room(LENGTH)));
    assertThat(failure(call).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    bulk.world.settle();
    assertThat(bulk.server.bulkStats().failed()).as("answers begun, and given up").isZero();
  }

  @Test
  void anAnswerMayComeAtAnyPointOfItsCallsEnd() {
    for (int step = 0; step < 20; step++) {
      int steps = step;
      List<CompletableFuture<Received>> calls = new ArrayList<>();
      served =
          new Shelves() {
            @Override
            public Received read(String title, Landing into) {
              calls.forEach(call -> call.cancel(true));
              for (int i = 0; i < steps; i++) {
                bulk.world.step();
              }
              return Received.from(Source.of(bytes));
            }
          };
      calls.add(library().read("book", Landing.pooled(LENGTH)).toCompletableFuture());
      bulk.assertNothingLeft();
      assertThat(calls).allMatch(CompletableFuture::isCancelled);
    }
  }

  /** Lends each call a copy of the book, which is written over when it is given back. */
  private final class Lending extends Shelves {
    private int lent;
    private final List<Integer> back = new ArrayList<>();

    @Override
    public Received read(String title, Landing into) {
      MemorySegment copy = bulk.bytes(LENGTH, 1);
      int number = lent++;
      Source source =
          title.equals("lost") ? Source.file(Path.of("/nowhere/lost"), 0, 1) : Source.of(copy);
      return Received.from(
          source,
          () -> {
            copy.fill((byte) 0x55);
            back.add(number);
            if (title.equals("torn")) {
              throw new IllegalStateException("it came back torn");
            }
          });
    }

    void assertAllBackOnce() {
      bulk.assertNothingLeft();
      assertThat(back).doesNotHaveDuplicates().hasSize(lent);
    }
  }

  @Test
  void aHandlerHearsOnceThatItsMemoryIsFreeWhateverBecomesOfTheCall() {
    Lending lending = new Lending();
    served = lending;
    for (String title : List.of("book", "torn")) {
      assertThat(await(library().read(title, Landing.of(bulk.room(LENGTH)))).memory())
          .matches(memory -> memory.mismatch(bytes) == -1);
      lending.assertAllBackOnce();
    }
    failure(library().read("lost", Landing.pooled(LENGTH)));
    failure(library().read("book", Landing.pooled(10)));
    lending.assertAllBackOnce();
    for (int step = 0; step < 60; step += 2) {
      CompletableFuture<Received> call =
          library().read("book", Landing.pooled(LENGTH)).toCompletableFuture();
      bulk.steps(step);
      if (!call.cancel(true)) {
        call.join().close();
      }
      lending.assertAllBackOnce();
    }
    for (int step = 0; step < 60; step += 5) {
      CompletableFuture<Received> call =
          library().read("book", Landing.of(bulk.room(LENGTH))).toCompletableFuture();
      bulk.steps(step);
      bulk.accepted.forEach(Session::close);
      bulk.world.runUntil(call::isDone);
      lending.assertAllBackOnce();
    }
    assertThat(lending.lent).as("answers made").isGreaterThan(20);
  }

  @Test
  void aWatchedCallTellsHowFarItIs() {
    bulk.open();
    List<Transfer> transfers = new ArrayList<>();
    CompletableFuture<Received> call =
        library()
            .read("book", Landing.of(bulk.room(LENGTH)).watched(transfers::add))
            .toCompletableFuture();
    Set<Long> seen = new TreeSet<>();
    while (!call.isDone()) {
      bulk.steps(1);
      transfers.forEach(transfer -> seen.add(transfer.progress().bytes()));
    }
    assertThat(transfers).hasSize(1);
    assertThat(transfers.getFirst().progress().total()).isEqualTo(LENGTH);
    assertThat(transfers.getFirst().progress().bytes()).isEqualTo(LENGTH);
    assertThat(seen).as("lengths that were told of").hasSizeGreaterThan(5);
  }

  @Test
  void aWatchedCallIsCancelledByItsTransferAtBothEnds() {
    bulk.open();
    Lending lending = new Lending();
    served = lending;
    int cancelled = 0;
    for (int step = 2; step < 60; step += 2) {
      List<Transfer> transfers = new ArrayList<>();
      CompletableFuture<Received> call =
          library()
              .read("book", Landing.of(bulk.room(LENGTH)).watched(transfers::add))
              .toCompletableFuture();
      bulk.steps(step);
      transfers.forEach(Transfer::cancel);
      lending.assertAllBackOnce();
      if (call.isCompletedExceptionally()) {
        assertThat(failure(call).status()).isEqualTo(RpcStatus.CANCELLED);
        cancelled++;
      }
    }
    assertThat(cancelled).isGreaterThan(5);
  }

  @Test
  void aWatcherThatThrowsFailsItsCallAlone() {
    Landing broken =
        Landing.pooled(LENGTH)
            .watched(
                transfer -> {
                  throw new IllegalStateException("no eyes");
                });
    assertThat(failure(library().read("book", broken))).hasMessageContaining("no eyes");
    await(library().read("book", Landing.pooled(LENGTH))).close();
  }

  @Test
  void aLostLinkCostsALandingCallNothingButTime() {
    bulk.open();
    for (int step = 0; step < 80; step += 3) {
      MemorySegment into = bulk.room(LENGTH);
      CompletionStage<Received> call = library().read("book", Landing.of(into));
      bulk.steps(step);
      bulk.world.network().drop(URI.create(bulk.world.address()), "the cable was pulled");
      assertThat(await(call).length()).isEqualTo(LENGTH);
      assertThat(into.mismatch(bytes)).isEqualTo(-1);
    }
  }

  @Test
  void aCallThatBeginsWhileThereIsNoLinkLandsWhenThereIsOneAgain() {
    bulk.open();
    for (int step = 0; step < 20; step++) {
      bulk.world.network().drop(URI.create(bulk.world.address()), "the cable was pulled");
      bulk.steps(step);
      MemorySegment into = bulk.room(LENGTH);
      assertThat(await(library().read("book", Landing.of(into))).length()).isEqualTo(LENGTH);
      assertThat(into.mismatch(bytes)).isEqualTo(-1);
    }
  }

  @Test
  void aSourceThatFailsOnTheServerFailsTheCall() {
    served =
        new Shelves() {
          @Override
          public Received read(String title, Landing into) {
            return Received.from(
                Source.generator(
                    LENGTH,
                    (chunk, offset) -> {
                      throw new TransferException(RpcStatus.INTERNAL, "ink", 0, "dry", null);
                    }));
          }
        };
    assertThat(failure(library().read("book", Landing.of(bulk.room(LENGTH)))))
        .hasMessageContaining("dry");
  }
}
