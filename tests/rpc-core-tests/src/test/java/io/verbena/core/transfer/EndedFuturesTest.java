package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.testkit.FutureEnding;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A future may be ended in any way by its holder, whose memory is not written to afterwards. */
class EndedFuturesTest {
  private static final int STRIDE = Boolean.getBoolean("verbena.long") ? 3 : 7;
  private static final int LENGTH = 300_000;
  private static final byte MARK = 0x55;
  private static final long LONGEST_NANOS = 10_000_000_000L;

  private final BulkWorld bulk =
      new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Shelves())));
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** Has one book. */
  private final class Shelves implements Library {
    @Override
    public Received read(String title, Landing into) {
      return Received.from(Source.of(bytes));
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

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    assertThat(bulk.client.slotsInUse()).as("slots in use").isZero();
    bulk.close();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsWrittenOnceTheFutureOfACallIsOver(FutureEnding ending) {
    nothingIsWrittenOnceItIsOver(
        ending,
        landing -> LibraryRpc.async(bulk.session).read("book", landing).toCompletableFuture());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsWrittenOnceTheFutureOfATransferIsOver(FutureEnding ending) {
    ObjectRef ref = bulk.publish(Source.of(bytes));
    nothingIsWrittenOnceItIsOver(ending, landing -> BulkWorld.future(bulk.fetch(ref, landing)));
  }

  private void nothingIsWrittenOnceItIsOver(
      FutureEnding ending, Function<Landing, CompletableFuture<Received>> begin) {
    bulk.open();
    for (int step = 1; step < 24; step += STRIDE) {
      MemorySegment into = bulk.room(LENGTH);
      CompletableFuture<Received> future = begin.apply(Landing.of(into));
      bulk.steps(step);
      boolean inTime = !future.isDone();
      bulk.world.network().cut(URI.create(bulk.world.address()));
      bulk.world.settle();
      ending.end(future);
      stepOnceItIsHeard(future);
      bulk.world.runUntil(future::isDone);
      into.fill(MARK);
      bulk.world.network().heal(URI.create(bulk.world.address()));
      bulk.world.pass(Duration.ofMillis(100));
      assertThat(writtenIn(into)).as("bytes written, begun at step %d", step).isZero();
      if (inTime) {
        assertThat(future.state()).isIn(statesAfter(ending));
      }
    }
  }

  private static long writtenIn(MemorySegment marked) {
    byte[] bytes = marked.toArray(ValueLayout.JAVA_BYTE);
    int written = 0;
    for (byte b : bytes) {
      written += b == MARK ? 0 : 1;
    }
    return written;
  }

  /** Timeouts are the JDK's own, on its clock and threads. */
  private void stepOnceItIsHeard(CompletableFuture<Received> future) {
    long end = System.nanoTime() + LONGEST_NANOS;
    while (!future.isDone() && bulk.world.step() == 0) {
      assertThat(System.nanoTime() - end).as("time until it is heard").isNegative();
      Thread.onSpinWait();
    }
  }

  private static Set<Future.State> statesAfter(FutureEnding ending) {
    return switch (ending) {
      case COMPLETE, COMPLETE_ON_TIMEOUT, COMPLETE_ASYNC, OBTRUDE_VALUE ->
          Set.of(Future.State.SUCCESS);
      case COMPLETE_EXCEPTIONALLY, OR_TIMEOUT, FAIL_ASYNC, OBTRUDE_EXCEPTION ->
          Set.of(Future.State.FAILED);
      case CANCEL -> Set.of(Future.State.CANCELLED);
    };
  }

  /** As the JDK promises. Nobody closes the memory of an object whose future was cancelled. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFutureWhoseCancelSucceedsEndsCancelledAndHasNoMemory(boolean intoFile) throws IOException {
    Path file = directory.resolve("file");
    Landing landing = intoFile ? Landing.file(file) : Landing.pooled(LENGTH);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    bulk.open();
    int tooLate = 0;
    int whole = 0;
    for (int step = 0; tooLate < 3; step++) {
      CompletableFuture<Received> future = BulkWorld.future(bulk.fetch(ref, landing));
      for (int i = 0; i < step; i++) { // of which files move on with every other one
        bulk.world.step();
        if (i % 2 == 0) {
          bulk.world.runHandlers();
        }
      }
      boolean cancelled = future.cancel(true);
      bulk.world.runUntil(future::isDone);
      assertThat(future.isCancelled()).as("cancelled at step %d", step).isEqualTo(cancelled);
      if (!cancelled) {
        tooLate++;
        future.join().close();
      }
      whole += Files.deleteIfExists(file) && cancelled ? 1 : 0;
      bulk.assertNothingLeft();
    }
    assertThat(whole > 0).as("a file was complete nonetheless").isEqualTo(intoFile);
  }
}
