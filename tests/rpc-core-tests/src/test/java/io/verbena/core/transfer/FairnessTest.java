package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transfers share a link, and leave room on it for what is small. */
class FairnessTest {
  private static final int LARGE = 20 << 20;

  private final BulkWorld bulk =
      new BulkWorld(
          false,
          server ->
              server
                  .serve(SuccessorRpc.bind(number -> number + 1))
                  .onSession(
                      session ->
                          session.objects().onPush(offer -> Landing.of(room(offer.length())))));

  @AfterEach
  void close() {
    bulk.close();
  }

  @Test
  void parallelTransfersAdvanceTogether() {
    int length = 1 << 20;
    List<Transfer> transfers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      transfers.add(
          bulk.fetch(bulk.publish(Source.of(bulk.room(length))), Landing.of(bulk.room(length))));
    }
    while (transfers.stream().noneMatch(BulkWorld::isOver)) {
      bulk.steps(1);
    }
    for (Transfer transfer : transfers) {
      assertThat(transfer.progress().bytes())
          .as("confirmed when the first was over")
          .isGreaterThan(length - 32 * BulkWorld.CHUNK);
    }
  }

  private void fetchLargeOnes() {
    for (int i = 0; i < 4; i++) {
      bulk.fetch(bulk.publish(Source.of(room(LARGE))), Landing.of(room(LARGE)));
    }
  }

  private MemorySegment room(long length) {
    return bulk.room(length);
  }

  @Test
  void aSmallCallIsNotHeldUpByLargeObjectsBothWays() {
    int alone = stepsToCall();
    fetchLargeOnes();
    for (int i = 0; i < 4; i++) {
      bulk.session.objects().push("large", Source.of(room(LARGE)));
    }
    bulk.steps(50);
    for (int i = 0; i < 100; i++) {
      // Each way it waits for a window of four chunks at most.
      assertThat(stepsToCall()).as("steps, alone it took " + alone).isLessThanOrEqualTo(alone + 4);
    }
    assertThat(bulk.client.bulkStats().receiving()).as("under way still").isEqualTo(4);
    assertThat(bulk.client.bulkStats().sending()).as("under way still").isEqualTo(4);
  }

  private int stepsToCall() {
    CompletableFuture<Integer> call = SuccessorRpc.async(bulk.session).of(1).toCompletableFuture();
    int steps = 0;
    while (!call.isDone()) {
      bulk.steps(1);
      steps++;
    }
    return steps;
  }

  @Test
  void aSmallObjectIsNotHeldUpByLargeOnes() {
    int alone = stepsToFetch(100);
    fetchLargeOnes();
    bulk.steps(50);
    int among = stepsToFetch(100);
    // A window of four chunks is under way at most, and is taken in one step.
    assertThat(among).as("steps, where alone it took " + alone).isLessThanOrEqualTo(alone + 8);
  }

  private int stepsToFetch(int length) {
    Transfer small =
        bulk.fetch(bulk.publish(Source.of(bulk.room(length))), Landing.of(bulk.room(length)));
    int steps = 0;
    while (!BulkWorld.isOver(small)) {
      bulk.steps(1);
      steps++;
    }
    return steps;
  }
}
