package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The sender of a fetched object only lets go of it at the end. It hears of that end with the
 * session's next message, or within 20 ms, and never not at all.
 */
class SenderToldLaterTest {
  private static final int LENGTH = 30_000;

  private final BulkWorld bulk = new BulkWorld();
  private final Published published =
      bulk.server.publish(Source.of(bulk.bytes(LENGTH, 1)), BulkWorld.LEASE);

  @BeforeEach
  void theSessionIsOpen() {
    bulk.open();
    bulk.world.settle();
  }

  @AfterEach
  void nothingIsLeft() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  /** Fetches it, and returns what its sender does not know to be over. */
  private Transfer arrived() {
    Transfer fetch = bulk.fetch(published.ref(), Landing.of(bulk.room(LENGTH)));
    stepUntilOver(fetch);
    Transfer there = published.fetches().getFirst().transfer();
    bulk.steps(20);
    assertThat(BulkWorld.isOver(there)).as("the sender was told at once").isFalse();
    return there;
  }

  private void stepUntilOver(Transfer transfer) {
    for (int i = 0; i < 200 && !BulkWorld.isOver(transfer); i++) {
      bulk.steps(1);
    }
    assertThat(BulkWorld.future(transfer)).isCompleted();
  }

  @Test
  void itIsToldWithinAWhile() {
    Transfer there = arrived();
    bulk.world.pass(Duration.ofMillis(25));
    stepUntilOver(there);
  }

  @Test
  void itIsToldWithTheNextMessage() {
    Transfer there = arrived();
    Transfer next = bulk.fetch(published.ref(), Landing.pooled(LENGTH));
    bulk.steps(5);
    assertThat(BulkWorld.future(there)).isCompleted();
    bulk.await(next).close();
  }

  @Test
  void itIsToldBeforeTheSessionIsClosed() {
    Transfer there = arrived();
    bulk.session.close();
    assertThat(bulk.await(there).length()).isEqualTo(LENGTH);
  }

  @Test
  void itIsToldOverTheNextLink() {
    Transfer there = arrived();
    bulk.world.network().drop(URI.create(bulk.world.address()), "the cable was pulled");
    assertThat(bulk.await(there).length()).isEqualTo(LENGTH);
  }

  /** Else it would keep more and more. */
  @Test
  void itIsToldAtOnceWhereItKeepsMuch() {
    int mebibyte = 1 << 20;
    Published large = bulk.server.publish(Source.of(bulk.bytes(mebibyte + 1, 2)), BulkWorld.LEASE);
    Transfer fetch = bulk.fetch(large.ref(), Landing.of(bulk.room(mebibyte + 1)));
    bulk.world.runUntil(() -> BulkWorld.isOver(fetch));
    bulk.steps(20);
    assertThat(large.fetches()).isEmpty();
  }
}
