package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The end that has not begun a transfer may watch and cancel it, too. */
class OtherEndTest {
  private static final int STRIDE = Boolean.getBoolean("verbena.long") ? 5 : 15;
  private static final int LENGTH = 300_000;

  /** More steps than an undisturbed transfer of that length takes. */
  private static final int STEPS = 120;

  /** The destination of a push. */
  private enum Into {
    MEMORY,
    POOL,
    CHUNKS,
    FILE
  }

  /** Takes pushes, and keeps what it is offered and gets. */
  private static class Taker implements PushHandler {
    final Landing landing;
    final List<byte[]> taken = new ArrayList<>();
    @Nullable Transfer transfer;

    Taker(Landing landing) {
      this.landing = landing;
    }

    @Override
    public Landing offered(Offer offer) {
      transfer = offer.transfer();
      return landing;
    }

    @Override
    public void received(Offer offer, Received received) {
      if (landing instanceof Landing.Pooled) {
        taken.add(received.memory().toArray(ValueLayout.JAVA_BYTE));
      }
      received.close();
    }
  }

  /** Opens the session, and has the server take what is pushed. */
  private static void takes(BulkWorld bulk, PushHandler handler) {
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
    bulk.accepted.getFirst().objects().onPush(handler);
    bulk.world.settle();
  }

  /** Steps once at a time, so that what is under way is not at its end. */
  private static void stepUntil(BulkWorld bulk, BooleanSupplier condition) {
    for (int i = 0; i < 10_000 && !condition.getAsBoolean(); i++) {
      bulk.steps(1);
    }
    assertThat(condition.getAsBoolean()).as("so within 10000 steps").isTrue();
  }

  private static Transfer push(BulkWorld bulk, MemorySegment bytes) {
    return bulk.session.objects().push("photo", Source.of(bytes));
  }

  private static void assertCancelledThere(TransferException failure, String object) {
    assertThat(failure.status()).isEqualTo(RpcStatus.CANCELLED);
    assertThat(failure.object()).isEqualTo(object);
    assertThat(failure)
        .hasMessageStartingWith(object)
        .hasMessageEndingWith(
            " failed at offset %d: CANCELLED: on the other end: it was cancelled",
            failure.offset());
  }

  @Test
  void theReceiverOfAPushSeesHowFarItIsAndHearsOfItsEnd() {
    try (BulkWorld bulk = new BulkWorld()) {
      MemorySegment bytes = bulk.bytes(LENGTH, 1);
      Taker taker = new Taker(Landing.pooled(LENGTH));
      takes(bulk, taker);
      Transfer push = push(bulk, bytes);
      stepUntil(
          bulk, () -> taker.transfer != null && taker.transfer.progress().bytes() > LENGTH / 2);
      Transfer there = Objects.requireNonNull(taker.transfer);
      assertThat(there.progress().total()).isEqualTo(LENGTH);
      assertThat(there.progress().bytes()).isLessThan(LENGTH);
      bulk.await(push);
      Received received = bulk.await(there);
      assertThat(received.length()).isEqualTo(LENGTH);
      assertThatThrownBy(received::memory).hasMessageContaining("not in memory");
      assertThat(there.progress().bytes()).isEqualTo(LENGTH);
      assertThat(there.cancel()).isFalse();
      bulk.world.settle();
      assertThat(taker.taken).containsExactly(bytes.toArray(ValueLayout.JAVA_BYTE));
      bulk.assertNothingLeft();
    }
  }

  @Test
  void theReceiverOfAPushHearsThatItWasCancelledWhereItCameFrom() {
    try (BulkWorld bulk = new BulkWorld()) {
      Taker taker = new Taker(Landing.pooled(LENGTH));
      takes(bulk, taker);
      Transfer push = push(bulk, bulk.bytes(LENGTH, 1));
      stepUntil(bulk, () -> push.progress().bytes() > 0);
      push.cancel();
      assertCancelledThere(
          bulk.awaitFailure(Objects.requireNonNull(taker.transfer)), "push 'photo'");
      assertThat(taker.taken).isEmpty();
      bulk.assertNothingLeft();
    }
  }

  private static Landing landing(Into into, MemorySegment memory, Path directory) {
    return switch (into) {
      case MEMORY -> Landing.of(memory);
      case POOL -> Landing.pooled(LENGTH);
      case CHUNKS -> Landing.chunks((chunk, offset) -> {});
      case FILE -> Landing.file(directory.resolve("photo"));
    };
  }

  @ParameterizedTest
  @EnumSource(Into.class)
  void theReceiverOfAPushMayCancelItAtAnyPoint(Into into, @TempDir Path directory)
      throws IOException {
    int cancelled = 0;
    for (int step = 0; step < STEPS; step += STRIDE) { // each kind of world by turns
      try (BulkWorld bulk = new BulkWorld(step % 2 == 1)) {
        MemorySegment memory = bulk.room(LENGTH);
        Taker taker = new Taker(landing(into, memory, directory));
        takes(bulk, taker);
        Transfer push = push(bulk, bulk.bytes(LENGTH, step));
        stepUntil(bulk, () -> taker.transfer != null);
        bulk.steps(step);
        Transfer there = Objects.requireNonNull(taker.transfer);
        there.cancel();
        bulk.world.runUntil(() -> BulkWorld.isOver(there) && BulkWorld.isOver(push));
        if (BulkWorld.future(there).isCompletedExceptionally()) {
          cancelled++;
          TransferException failure = bulk.awaitFailure(there);
          assertThat(failure.status()).isEqualTo(RpcStatus.CANCELLED);
          assertThat(failure).hasMessageEndingWith("CANCELLED: it was cancelled");
          assertCancelledThere(bulk.awaitFailure(push), "push 'photo'");
          assertThat(bulk.awaitFailure(push).offset()).isLessThanOrEqualTo(failure.offset());
          assertThat(directory).isEmptyDirectory();
        } else {
          assertThat(bulk.await(push).length()).isEqualTo(LENGTH);
          Files.deleteIfExists(directory.resolve("photo"));
        }
        assertNobodyWrites(bulk, memory);
        bulk.assertNothingLeft();
      }
    }
    assertThat(cancelled).as("cancelled in time").isPositive();
  }

  private static void assertNobodyWrites(BulkWorld bulk, MemorySegment into) {
    into.fill((byte) 0x55);
    bulk.steps(50);
    BulkWorld.assertFilled(into, 0x55);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHandlerMayCancelWhileItIsAsked(boolean nonBlocking) {
    try (BulkWorld bulk = new BulkWorld()) {
      takes(
          bulk,
          new Taker(Landing.pooled(LENGTH)) {
            @Override
            public Landing offered(Offer offer) {
              assertThat(offer.transfer().cancel()).isTrue();
              return super.offered(offer);
            }

            @Override
            public boolean nonBlocking() {
              return nonBlocking;
            }
          });
      TransferException failure = bulk.awaitFailure(push(bulk, bulk.bytes(LENGTH, 1)));
      assertCancelledThere(failure, "push 'photo'");
      bulk.assertNothingLeft();
    }
  }

  @Test
  void theOwnerOfAnObjectSeesWhoFetchesItAndCancelsOneOfThem() {
    try (BulkWorld bulk = new BulkWorld()) {
      MemorySegment bytes = bulk.bytes(LENGTH, 1);
      Published published = bulk.server.publish(Source.of(bytes), BulkWorld.LEASE);
      assertThat(published.fetches()).isEmpty();
      Session other = bulk.world.client(settings -> {}).session(bulk.world.address());
      MemorySegment into = bulk.room(LENGTH);
      bulk.await(bulk.fetch(published.ref(), Landing.pooled(LENGTH))).close();
      bulk.await(other.objects().fetch(published.ref(), Landing.pooled(LENGTH))).close();
      bulk.world.pass(Duration.ofMillis(25)); // until both senders are told
      Transfer first = bulk.fetch(published.ref(), Landing.of(bulk.room(LENGTH)));
      stepUntil(bulk, () -> published.fetches().size() == 1);
      Transfer second = other.objects().fetch(published.ref(), Landing.of(into));
      stepUntil(bulk, () -> published.fetches().size() == 2);
      List<Published.Fetch> fetches = published.fetches();
      assertThat(fetches.stream().map(Published.Fetch::peer))
          .containsExactlyElementsOf(bulk.accepted.stream().map(Session::peer).toList());
      Transfer cancelled = fetches.getFirst().transfer();
      stepUntil(bulk, () -> cancelled.progress().bytes() > 0);
      assertThat(cancelled.progress().total()).isEqualTo(LENGTH);
      assertThat(cancelled.cancel()).isTrue();
      assertCancelledThere(bulk.awaitFailure(first), "object " + published.ref().id());
      assertThat(bulk.awaitFailure(cancelled)).hasMessageEndingWith("CANCELLED: it was cancelled");
      bulk.await(second);
      assertThat(into.mismatch(bytes)).isEqualTo(-1);
      assertThat(bulk.await(fetches.getLast().transfer()).length()).isEqualTo(LENGTH);
      assertThat(published.fetches()).isEmpty();
      assertThat(published.isAvailable()).isTrue();
      bulk.assertNothingLeft();
    }
  }

  @Test
  void theOwnerOfAnObjectMayCancelItsFetchesAndFreeItAtAnyPoint() {
    int cancelled = 0;
    for (int step = 0; step < STEPS; step += STRIDE) { // each kind of world by turns
      try (BulkWorld bulk = new BulkWorld(step % 2 == 1)) {
        bulk.open();
        Arena brief = Arena.ofShared();
        MemorySegment bytes = brief.allocate(LENGTH);
        MemorySegment into = bulk.room(LENGTH);
        Published published = bulk.server.publish(Source.of(bytes), BulkWorld.LEASE);
        Transfer fetch = bulk.fetch(published.ref(), Landing.of(into));
        stepUntil(bulk, () -> !published.fetches().isEmpty());
        bulk.steps(step);
        List<Transfer> there = published.fetches().stream().map(Published.Fetch::transfer).toList();
        published.close();
        there.forEach(Transfer::cancel);
        bulk.world.runUntil(() -> there.stream().allMatch(BulkWorld::isOver));
        assertThat(published.fetches()).isEmpty();
        brief.close();
        bulk.world.runUntil(() -> BulkWorld.isOver(fetch));
        if (BulkWorld.future(fetch).isCompletedExceptionally()) {
          cancelled++;
          assertCancelledThere(bulk.awaitFailure(fetch), "object " + published.ref().id());
        }
        assertNobodyWrites(bulk, into);
        assertThat(bulk.session.path().link()).isEqualTo("mem");
        bulk.assertNothingLeft();
      }
    }
    assertThat(cancelled).as("cancelled in time").isPositive();
  }
}
