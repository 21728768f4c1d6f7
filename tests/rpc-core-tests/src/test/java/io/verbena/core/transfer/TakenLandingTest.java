package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two objects that land in the same memory at the same time would both be wrong. */
class TakenLandingTest {
  private static final int LENGTH = 300_000;

  private final BulkWorld bulk =
      new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Shelf())));
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);
  private final MemorySegment into = bulk.room(2 * LENGTH);
  private final ObjectRef ref = bulk.publish(Source.of(bytes));

  /** Answers with the test's object. */
  private final class Shelf implements Library {
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
      return Received.from(Source.of(bytes));
    }
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private CompletionStage<Received> call(MemorySegment memory) {
    return LibraryRpc.async(bulk.session).read("it", Landing.of(memory));
  }

  private void assertIsAt(long offset) {
    assertThat(into.asSlice(offset, LENGTH).mismatch(bytes)).isEqualTo(-1);
  }

  @Test
  void ofTwoCallsThatShareALandingTheSecondIsRefusedAndTheNextMayHaveIt() {
    CompletionStage<Received> first = call(into);
    RpcException refused = bulk.awaitFailure(call(into), RpcException.class);
    assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(refused).hasMessageContaining("the landing of another transfer");
    bulk.await(first).close();
    assertIsAt(0);
    bulk.await(call(into)).close();
  }

  @Test
  void ofTwoTransfersWhoseLandingsOverlapTheSecondIsRefused() {
    Transfer first = bulk.fetch(ref, Landing.of(into.asSlice(0, LENGTH)));
    Transfer beside = bulk.fetch(ref, Landing.of(into.asSlice(LENGTH, LENGTH)));
    Transfer across = bulk.fetch(ref, Landing.of(into.asSlice(LENGTH - 1, LENGTH)));
    TransferException refused = bulk.awaitFailure(across);
    assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    bulk.await(first).close();
    bulk.await(beside).close();
    assertIsAt(0);
    assertIsAt(LENGTH);
  }

  @Test
  void theLandingOfATransferThatFailedIsFree() {
    Transfer first = bulk.fetch(ref, Landing.of(into));
    bulk.steps(3);
    first.cancel();
    bulk.awaitFailure(first);
    bulk.await(bulk.fetch(ref, Landing.of(into))).close();
    assertIsAt(0);
  }
}
