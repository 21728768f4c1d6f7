package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects under way arrive before a server that drains ends; no further ones are begun. */
class DrainedTransfersTest {
  private static final int LENGTH = 4 << 20;

  private final BulkWorld bulk = new BulkWorld();

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  @Test
  void whatIsUnderWayArrivesAndWhatBeginsLaterIsRefused() {
    MemorySegment bytes = bulk.bytes(LENGTH, 1);
    MemorySegment into = bulk.room(LENGTH);
    ObjectRef ref = bulk.publish(Source.of(bytes));
    Transfer running = bulk.fetch(ref, Landing.of(into));
    while (running.progress().bytes() == 0) {
      bulk.steps(1);
    }
    CompletableFuture<Void> drained = bulk.server.drain().toCompletableFuture();
    bulk.steps(3);
    assertThat(BulkWorld.isOver(running)).as("the server's word is heard before").isFalse();
    assertThat(drained).isNotDone();
    Transfer late = bulk.fetch(ref, Landing.pooled(LENGTH));
    assertThat(bulk.awaitFailure(late))
        .hasMessageContaining("shutting down")
        .satisfies(failure -> assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE));
    try (Received received = bulk.await(running)) {
      assertThat(received.length()).isEqualTo(LENGTH);
      assertThat(into.mismatch(bytes)).isEqualTo(-1);
    }
    bulk.world.runUntil(drained::isDone);
    assertThat(drained).isCompleted();
  }
}
