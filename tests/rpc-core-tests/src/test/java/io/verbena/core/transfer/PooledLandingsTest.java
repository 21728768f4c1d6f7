package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions that keep what has come to pooled memory, and what others find of it. */
class PooledLandingsTest {
  private static final int LENGTH = 1 << 20;

  private final BulkWorld bulk = new BulkWorld();
  private final Queue<Received> kept = new ArrayDeque<>();

  @BeforeEach
  void open() {
    bulk.open();
  }

  @AfterEach
  void nothingIsLeft() {
    kept.forEach(Received::close);
    bulk.assertNothingLeft();
    bulk.close();
  }

  /** Fetches objects, and keeps each; returns the one that finds no room. */
  private Transfer fetchUntilOneWaits(ObjectRef ref, int length) {
    while (true) {
      Transfer transfer = bulk.fetch(ref, Landing.pooled(length));
      bulk.steps(2_000 + length / BulkWorld.CHUNK);
      if (!BulkWorld.isOver(transfer)) {
        return transfer;
      }
      kept.add(bulk.await(transfer));
    }
  }

  /** A short one is prepared on the loop, a long one on a thread. */
  @ParameterizedTest
  @ValueSource(ints = {LENGTH, 3 * LENGTH})
  void whatFindsNoRoomWaitsUntilTheSessionGivesSomeBack(int length) {
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(length, 5)));
    Transfer waits = fetchUntilOneWaits(ref, length);
    assertThat(kept).hasSizeBetween(10 * LENGTH / length - 1, 10 * LENGTH / length);
    kept.remove().close();
    try (Received came = bulk.await(waits)) {
      assertThat(came.length()).isEqualTo(length);
    }
  }

  @Test
  void oneSessionThatKeepsAllItCanLeavesAnotherItsPart() {
    ObjectRef ref = bulk.publish(Source.of(bulk.bytes(LENGTH, 5)));
    Transfer waits = fetchUntilOneWaits(ref, LENGTH);
    Session other = bulk.client.session(bulk.world.address());
    List<Received> others = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      others.add(bulk.await(other.objects().fetch(ref, Landing.pooled(LENGTH))));
    }
    assertThat(BulkWorld.isOver(waits)).as("what waits").isFalse();
    others.forEach(Received::close);
    waits.cancel();
  }

  /** Both ends hear of it, and what it waited for is left to others. */
  @Test
  void aPushThatIsCancelledWaitsForRoomNoLonger() {
    Queue<Transfer> offered = new ArrayDeque<>();
    bulk.accepted
        .getFirst()
        .objects()
        .onPush(
            new PushHandler() {
              @Override
              public Landing offered(Offer offer) {
                offered.add(offer.transfer());
                return Landing.pooled(LENGTH);
              }

              @Override
              public void received(Offer offer, Received received) {
                kept.add(received);
              }
            });
    Source source = Source.of(bulk.bytes(LENGTH, 5));
    Transfer push = bulk.session.objects().push("object", source);
    bulk.steps(2_000);
    while (BulkWorld.isOver(push)) {
      push = bulk.session.objects().push("object", source);
      bulk.steps(2_000);
    }
    push.cancel();
    bulk.steps(100);
    assertThat(offered).allMatch(BulkWorld::isOver);
    Transfer asks = bulk.session.objects().push("object", source);
    for (int i = 0; i < 100; i++) {
      bulk.world.step();
    }
    asks.cancel();
    for (int i = 0; i < 100; i++) {
      bulk.world.step();
    }
    bulk.steps(100);
    assertThat(offered)
        .as("one is given up before its handler answers")
        .allMatch(BulkWorld::isOver);
  }
}
