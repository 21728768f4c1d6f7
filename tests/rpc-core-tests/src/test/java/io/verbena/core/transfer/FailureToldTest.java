package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A failure is told when what the transfer used of its user's is free, and not before. */
class FailureToldTest {
  private static final int LENGTH = 5 << 20;

  /** Of pooled memory, what each session is guaranteed: an eighth. */
  private static final long OWN_PART = BulkWorld.MEMORY / 8;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @Test
  void aFileMayBeTriedAgainAtOnce() throws Exception {
    for (int step = 0; step < 40; step += 5) {
      try (BulkWorld bulk = new BulkWorld()) {
        Path file = directory.resolve("file");
        MemorySegment bytes = bulk.bytes(LENGTH, step);
        ObjectRef ref = bulk.publish(Source.of(bytes));
        bulk.open();
        Transfer first = bulk.fetch(ref, Landing.file(file));
        CompletableFuture<Transfer> again = new CompletableFuture<>();
        first
            .result()
            .whenComplete(
                (whole, failure) -> {
                  assertThat(directory).isEmptyDirectory();
                  again.complete(bulk.fetch(ref, Landing.file(file)));
                })
            .exceptionally(
                failure -> {
                  again.completeExceptionally(failure);
                  return null;
                });
        bulk.steps(step);
        first.cancel();
        assertThat(bulk.awaitFailure(first).status()).isEqualTo(RpcStatus.CANCELLED);
        bulk.await(bulk.await(again)).close();
        assertThat(Files.readAllBytes(file)).isEqualTo(bytes.toArray(ValueLayout.JAVA_BYTE));
        Files.delete(file);
        bulk.assertNothingLeft();
      }
    }
  }

  @Test
  void aConsumerIsCalledNoMore() {
    try (BulkWorld bulk = new BulkWorld()) {
      ObjectRef ref = bulk.publish(Source.of(bulk.room(LENGTH)));
      List<Boolean> toldDuringCalls = new ArrayList<>();
      Transfer[] transfer = new Transfer[1];
      transfer[0] =
          bulk.fetch(
              ref,
              Landing.chunks(
                  (chunk, offset) -> {
                    while (transfer[0].progress().bytes() < OWN_PART) {
                      bulk.world.step(); // till the blocks behind this one are full, too
                    }
                    transfer[0].cancel();
                    for (int i = 0; i < 10; i++) {
                      bulk.world.step();
                    }
                    toldDuringCalls.add(BulkWorld.isOver(transfer[0]));
                  }));
      assertThat(bulk.awaitFailure(transfer[0]).status()).isEqualTo(RpcStatus.CANCELLED);
      bulk.assertNothingLeft();
      assertThat(toldDuringCalls).containsExactly(false);
    }
  }
}
