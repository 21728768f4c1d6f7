package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever happens while a file is put in its place: the receiving end says that it arrived exactly
 * where it did.
 */
class FileInPlaceTest {
  private static final int LENGTH = 100_000;
  private static final byte[] OLD = {1, 2, 3};

  /** More steps than an undisturbed transfer of that length takes. */
  private static final int STEPS = 60;

  /** Each point with the long tests, and every third without. */
  private static final int STRIDE = Boolean.getBoolean("verbena.long") ? 1 : 3;

  /** More steps than a frame, or a command, takes to be heard. */
  private static final int HEARD = 4;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** Has a file replaced by what is pushed, and notes what it is told. */
  private static final class Taker implements PushHandler {
    final Path file;
    @Nullable Transfer transfer;
    int received;

    Taker(Path file) {
      this.file = file;
    }

    @Override
    public Landing offered(Offer offer) {
      transfer = offer.transfer();
      return Landing.file(file);
    }

    @Override
    public void received(Offer offer, Received object) {
      received++;
      object.close();
    }
  }

  /** Lets time pass for loops and links, and none for handlers, such as what moves a file. */
  private static void stepWithoutHandlers(BulkWorld bulk) {
    for (int i = 0; i < HEARD; i++) {
      bulk.world.step();
    }
  }

  /** Has a push end at each of its points, while a handler is slow. */
  private void pushesThatEndBy(Consumer<Pushing> end, boolean sessionGoesOn) throws IOException {
    int arrived = 0;
    int failed = 0;
    for (int step = 0; step < STEPS; step += STRIDE) {
      try (BulkWorld bulk = new BulkWorld()) {
        Path file = Files.write(directory.resolve("file"), OLD);
        Taker taker = new Taker(file);
        MemorySegment bytes = bulk.bytes(LENGTH, step);
        bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
        bulk.accepted.getFirst().objects().onPush(taker);
        bulk.world.settle();
        Transfer push = bulk.session.objects().push("x", Source.of(bytes));
        bulk.world.step();
        for (int i = 0; i < 100 && taker.transfer == null; i++) {
          bulk.steps(1);
        }
        bulk.steps(step);
        Transfer there = Objects.requireNonNull(taker.transfer);
        end.accept(new Pushing(bulk, push, there));
        stepWithoutHandlers(bulk);
        bulk.world.runUntil(() -> BulkWorld.isOver(push) && BulkWorld.isOver(there));
        boolean whole = !BulkWorld.future(there).isCompletedExceptionally();
        bulk.world.settle();
        assertThere(file, whole ? bytes.toArray(ValueLayout.JAVA_BYTE) : OLD, step);
        assertThat(taker.received).as("received, after %d steps", step).isEqualTo(whole ? 1 : 0);
        assertThat(whole || BulkWorld.future(push).isCompletedExceptionally())
            .as("the sender is told of an object that arrived alone, after %d steps", step)
            .isTrue();
        arrived += whole ? 1 : 0;
        failed += whole ? 0 : 1;
        if (sessionGoesOn) {
          bulk.assertNothingLeft();
        }
      }
    }
    assertThat(arrived).as("arrived").isPositive();
    assertThat(failed).as("failed").isPositive();
  }

  private void assertThere(Path file, byte[] expected, int step) throws IOException {
    assertThat(Arrays.mismatch(Files.readAllBytes(file), expected))
        .as(
            "the file, of which %d bytes are said to be there after %d steps",
            expected.length, step)
        .isEqualTo(-1);
    assertThat(directory).isDirectoryNotContaining("glob:**.verbena.*");
  }

  private record Pushing(BulkWorld bulk, Transfer push, Transfer there) {}

  @Test
  void theSenderMayCancelAtAnyPoint() throws IOException {
    pushesThatEndBy(pushing -> pushing.push.cancel(), true);
  }

  @Test
  void theReceiverMayCancelAtAnyPoint() throws IOException {
    pushesThatEndBy(pushing -> pushing.there.cancel(), true);
  }

  @Test
  void theSessionMayEndAtAnyPoint() throws IOException {
    pushesThatEndBy(pushing -> pushing.bulk.session.close(), false);
  }

  @Test
  void theDeadlineOfACallMayPassAtAnyPoint() throws IOException {
    int arrived = 0;
    int failed = 0;
    for (int step = 0; step < STEPS; step += STRIDE) {
      try (BulkWorld bulk =
          new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Shelf())))) {
        Path file = Files.write(directory.resolve("file"), OLD);
        bulk.open();
        CompletableFuture<Received> call =
            LibraryRpc.async(bulk.session, CallOptions.timeout(Duration.ofSeconds(1)))
                .read("book", Landing.file(file))
                .toCompletableFuture();
        bulk.steps(step);
        bulk.world.clock().advance(Duration.ofSeconds(2));
        stepWithoutHandlers(bulk);
        bulk.world.runUntil(call::isDone);
        boolean whole = !call.isCompletedExceptionally();
        bulk.world.settle();
        assertThere(file, whole ? new byte[LENGTH] : OLD, step);
        arrived += whole ? 1 : 0;
        failed += whole ? 0 : 1;
        bulk.assertNothingLeft();
      }
    }
    assertThat(arrived).as("arrived").isPositive();
    assertThat(failed).as("failed").isPositive();
  }

  /** Has one book, of zeros. */
  private static final class Shelf implements Library {
    @Override
    public Received read(String title, Landing into) {
      return Received.from(Source.of(new byte[LENGTH]));
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
}
