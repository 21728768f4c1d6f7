package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The sender of an object that goes into memory is done when the last byte is there. Its receiver
 * waits until the sender is fenced off that memory: a server that stands still meanwhile.
 */
class ToldBeforeFencedTest {
  private static final int LENGTH = 30_000;

  private final BulkWorld bulk = new BulkWorld();
  private final Arena receivers = Arena.ofShared();
  private final MemorySegment into = receivers.allocate(LENGTH);
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);
  private @Nullable Transfer there;
  private int taken;

  private final class Taker implements PushHandler {
    @Override
    public Landing offered(Offer offer) {
      there = offer.transfer();
      return Landing.of(into);
    }

    @Override
    public void received(Offer offer, Received received) {
      taken++;
    }
  }

  @BeforeEach
  void theServerTakesPushes() {
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
    bulk.accepted.getFirst().objects().onPush(new Taker());
    bulk.world.settle();
  }

  @AfterEach
  void nothingIsLeft() {
    bulk.assertNothingLeft();
    bulk.close();
    if (receivers.scope().isAlive()) {
      receivers.close();
    }
  }

  /** Pushes until all has arrived, and stops the server there. */
  private Transfer arrived(TransferOptions options) {
    Transfer push = bulk.session.objects().push("photo", Source.of(bytes), options);
    for (int i = 0; i < 1000 && (there == null || there.progress().bytes() < LENGTH); i++) {
      bulk.steps(1);
    }
    assertThat(BulkWorld.isOver(there())).isFalse();
    bulk.world.pauseServer(true);
    bulk.steps(20);
    assertThat(BulkWorld.isOver(there())).isFalse();
    return push;
  }

  private Transfer there() {
    return Objects.requireNonNull(there);
  }

  private void assertArrives() {
    bulk.world.pauseServer(false);
    assertThat(bulk.await(there()).length()).isEqualTo(LENGTH);
    bulk.world.settle();
    assertThat(taken).isEqualTo(1);
    assertThat(into.mismatch(bytes)).isEqualTo(-1);
  }

  @Test
  void theSenderIsDoneBeforeItIsFencedOff() {
    Transfer push = arrived(TransferOptions.DEFAULT);
    assertThat(push.result().toCompletableFuture()).isCompleted();
    assertArrives();
  }

  @Test
  void theSenderOfWhatIsSummedWaitsUntilItWasCompared() {
    Transfer push = arrived(TransferOptions.DEFAULT.withChecksum());
    assertThat(push.result().toCompletableFuture()).isNotDone();
    assertArrives();
    assertThat(bulk.await(push).length()).isEqualTo(LENGTH);
  }

  @Test
  void itArrivesThoughItsReceiverCancelsIt() {
    arrived(TransferOptions.DEFAULT);
    there().cancel();
    assertArrives();
  }

  @Test
  void itArrivesThoughItsLinkIsLost() {
    arrived(TransferOptions.DEFAULT);
    bulk.world.network().drop(URI.create(bulk.world.address()), "the cable was pulled");
    assertArrives();
  }

  @Test
  void itArrivesThoughItsSessionIsClosed() {
    arrived(TransferOptions.DEFAULT);
    bulk.session.close();
    assertArrives();
  }

  @Test
  void itFailsWhereItsMemoryIsFreedAndTheSessionGoesOn() {
    Transfer push = arrived(TransferOptions.DEFAULT);
    receivers.close();
    bulk.world.pauseServer(false);
    assertThat(bulk.awaitFailure(there()).status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(push.result().toCompletableFuture()).isCompleted();
    assertThat(taken).isZero();
    bulk.await(bulk.fetch(bulk.publish(Source.of(bytes)), Landing.pooled(LENGTH))).close();
  }
}
