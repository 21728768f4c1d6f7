package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.mem.InMemoryNetwork.Admission;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * An object arrives once and whole, or not at all, whatever happens to its links, and leaves
 * nothing behind.
 */
class MisfortuneTest {
  private static final int LENGTH = 300_000;

  /** More steps than an undisturbed transfer of that length takes. */
  private static final int STEPS = 120;

  /** Each point with the long tests, and every third without. */
  private static final int STRIDE = Boolean.getBoolean("verbena.long") ? 1 : 3;

  /** An object that is fetched into memory, a consumer, or a file's like, and checked. */
  private static final class Fetching {
    final BulkWorld bulk;
    final MemorySegment bytes;
    final List<byte[]> chunks = new ArrayList<>();
    final MemorySegment into;
    final Transfer transfer;
    private final boolean intoMemory;

    /** Begins it in a session that is open; before, a lost link fails what waits for one. */
    Fetching(BulkWorld bulk, long seed) {
      this.bulk = bulk;
      this.bytes = bulk.bytes(LENGTH, seed);
      this.into = bulk.room(LENGTH);
      this.intoMemory = (seed & 1) == 0;
      boolean generated = (seed & 2) == 0;
      Source source =
          generated
              ? Source.generator(
                  LENGTH,
                  (chunk, offset) -> chunk.copyFrom(bytes.asSlice(offset, chunk.byteSize())))
              : Source.of(bytes);
      Landing landing =
          intoMemory
              ? Landing.of(into)
              : Landing.chunks((chunk, offset) -> chunks.add(chunk.toArray(ValueLayout.JAVA_BYTE)));
      TransferOptions options =
          (seed & 4) == 0 ? TransferOptions.DEFAULT : TransferOptions.DEFAULT.withChecksum();
      ObjectRef ref = bulk.publish(source);
      bulk.open();
      bulk.steps(10); // the server's first message comes
      transfer = bulk.session.objects().fetch(ref, landing, options);
      bulk.world.clock().advance(SteppedWorld.HEAD_START); // a better link is asked for now
    }

    void assertArrivedOnceAndWhole() {
      try (Received received = bulk.await(transfer)) {
        assertThat(received.length()).isEqualTo(LENGTH);
      }
      MemorySegment found = intoMemory ? into : joined();
      assertThat(found.byteSize()).isEqualTo(LENGTH);
      assertThat(found.mismatch(bytes)).isEqualTo(-1);
    }

    private MemorySegment joined() {
      int length = chunks.stream().mapToInt(chunk -> chunk.length).sum();
      MemorySegment all = MemorySegment.ofArray(new byte[length]);
      long at = 0;
      for (byte[] chunk : chunks) {
        MemorySegment.copy(chunk, 0, all, ValueLayout.JAVA_BYTE, at, chunk.length);
        at += chunk.length;
      }
      return all;
    }
  }

  @Test
  void aLostLinkAtAnyPointCostsNothingButTime() {
    for (int step = 0; step < STEPS; step += STRIDE) {
      try (BulkWorld bulk = new BulkWorld()) {
        Fetching fetching = new Fetching(bulk, step);
        bulk.steps(step);
        bulk.world.network().drop(URI.create(bulk.world.address()), "the cable was pulled");
        fetching.assertArrivedOnceAndWhole();
        bulk.assertNothingLeft();
      }
    }
  }

  /** It was offered as soon as there was a link, and the server's memory waited for it for ever. */
  @Test
  void aPushThatFailedForWantOfALinkTakesNothingAtThePeerThatIsThereLater() {
    PushHandler takes = offer -> Landing.pooled(offer.length());
    try (BulkWorld bulk =
        new BulkWorld(
            false, server -> server.onSession(session -> session.objects().onPush(takes)))) {
      URI address = URI.create(bulk.world.address());
      bulk.world.network().admit(address, Admission.REFUSE);
      Transfer failed = bulk.session.objects().push("lost", Source.of(bulk.bytes(LENGTH, 1)));
      assertThat(bulk.awaitFailure(failed).status()).isEqualTo(RpcStatus.UNAVAILABLE);
      bulk.world.network().admit(address, Admission.ACCEPT);
      bulk.world.pass(Duration.ofSeconds(1)); // the pause before another attempt
      bulk.open();
      bulk.world.pass(Duration.ofSeconds(1));
      bulk.assertNothingLeft();
    }
  }

  @Test
  void aLinkThatIsCutAndHeals() {
    for (int step = 0; step < STEPS; step += 3) {
      try (BulkWorld bulk = new BulkWorld()) {
        Fetching fetching = new Fetching(bulk, step);
        bulk.steps(step);
        URI address = URI.create(bulk.world.address());
        bulk.world.network().cut(address);
        bulk.world.pass(Duration.ofMillis(500));
        bulk.world.network().heal(address);
        fetching.assertArrivedOnceAndWhole();
        bulk.assertNothingLeft();
      }
    }
  }

  @Test
  void linksThatAreLostAgainAndAgain() {
    Random random = Seed.random("bulk over links that are lost again and again");
    for (int round = 0; round < 20; round++) {
      try (BulkWorld bulk = new BulkWorld(random.nextBoolean())) {
        List<Fetching> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          all.add(new Fetching(bulk, random.nextLong()));
        }
        for (int loss = 0; loss < 6; loss++) {
          bulk.steps(random.nextInt(40));
          bulk.world.clock().advance(Duration.ofMillis(random.nextInt(50)));
          if (random.nextBoolean()) {
            bulk.world.network().drop(URI.create(bulk.world.address()), "by chance");
          }
          URI better = bulk.upgrade.lastOffer();
          if (better != null && random.nextBoolean()) {
            bulk.fast.drop(better, "by chance");
          }
        }
        all.forEach(Fetching::assertArrivedOnceAndWhole);
        bulk.assertNothingLeft();
      }
    }
  }

  @Test
  void anUpgradeInTheMiddleTakesTheTransferAlong() {
    try (BulkWorld bulk = new BulkWorld(true)) {
      Fetching fetching = new Fetching(bulk, 0);
      fetching.assertArrivedOnceAndWhole();
      assertThat(bulk.upgrade.lastOffer()).isNotNull();
      assertThat(bulk.client.bulkStats().resumed()).as("changes of path").isPositive();
      bulk.assertNothingLeft();
    }
  }

  @Test
  void aBetterLinkThatIsLostAtAnyPoint() {
    for (int step = 0; step < STEPS; step += STRIDE) {
      try (BulkWorld bulk = new BulkWorld(true)) {
        Fetching fetching = new Fetching(bulk, step);
        bulk.steps(step);
        URI better = bulk.upgrade.lastOffer();
        if (better != null) {
          bulk.fast.drop(better, "the device was removed");
        }
        fetching.assertArrivedOnceAndWhole();
        bulk.assertNothingLeft();
      }
    }
  }

  @Test
  void theFirstLinkThatIsLostUnderABetterOne() {
    for (int step = 0; step < STEPS; step += 2 * STRIDE) {
      try (BulkWorld bulk = new BulkWorld(true)) {
        Fetching fetching = new Fetching(bulk, step);
        bulk.steps(step);
        bulk.world.network().drop(URI.create(bulk.world.address()), "a firewall forgot it");
        fetching.assertArrivedOnceAndWhole();
        bulk.assertNothingLeft();
      }
    }
  }

  @Test
  void theReceiverMayCancelAtAnyPoint() {
    for (int step = 0; step < STEPS; step += 2 * STRIDE) {
      try (BulkWorld bulk = new BulkWorld()) {
        Fetching fetching = new Fetching(bulk, step);
        bulk.steps(step);
        boolean inTime = fetching.transfer.cancel();
        bulk.world.runUntil(() -> BulkWorld.isOver(fetching.transfer));
        if (inTime && BulkWorld.future(fetching.transfer).isCompletedExceptionally()) {
          TransferException failure = bulk.awaitFailure(fetching.transfer);
          assertThat(failure.status()).isEqualTo(RpcStatus.CANCELLED);
          assertNobodyWrites(fetching);
        }
        bulk.assertNothingLeft();
      }
    }
  }

  private static void assertNobodyWrites(Fetching fetching) {
    fetching.into.fill((byte) 0x55);
    fetching.bulk.world.pass(Duration.ofMillis(20));
    BulkWorld.assertFilled(fetching.into, 0x55);
  }

  @Test
  void theSenderMayCancelAtAnyPoint() {
    for (int step = 0; step < STEPS; step += 2 * STRIDE) {
      try (BulkWorld bulk = new BulkWorld()) {
        MemorySegment into = bulk.room(LENGTH);
        bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
        bulk.accepted.getFirst().objects().onPush(offer -> Landing.of(into));
        Transfer push = bulk.session.objects().push("x", Source.of(bulk.bytes(LENGTH, step)));
        bulk.steps(step);
        push.cancel();
        bulk.world.runUntil(() -> BulkWorld.isOver(push));
        bulk.assertNothingLeft();
        into.fill((byte) 0x55);
        bulk.world.pass(Duration.ofMillis(20));
        BulkWorld.assertFilled(into, 0x55);
      }
    }
  }

  @Test
  void aTimeThatPassesEndsItOnBothEnds() {
    try (BulkWorld bulk = new BulkWorld()) {
      ObjectRef ref = bulk.publish(Source.of(bulk.room(LENGTH)));
      Transfer transfer =
          bulk.session
              .objects()
              .fetch(
                  ref,
                  Landing.of(bulk.room(LENGTH)),
                  TransferOptions.DEFAULT.withTimeout(Duration.ofSeconds(2)));
      bulk.steps(10);
      bulk.world.network().cut(URI.create(bulk.world.address()));
      TransferException failure = bulk.awaitFailure(transfer);
      assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
      assertThat(failure).hasMessageContaining("2000 ms");
      bulk.world.network().heal(URI.create(bulk.world.address()));
      bulk.assertNothingLeft();
    }
  }

  @Test
  void aTimeCountsFromWhenItWasAskedForThoughOthersAreBeforeIt() {
    try (BulkWorld bulk = new BulkWorld()) {
      ObjectRef ref = bulk.publish(Source.of(bulk.room(LENGTH)));
      bulk.await(bulk.fetch(ref, Landing.pooled(LENGTH))).close();
      bulk.world.network().cut(URI.create(bulk.world.address()));
      List<Transfer> before = new ArrayList<>();
      for (int i = 0; i < 256; i++) {
        before.add(bulk.fetch(ref, Landing.of(bulk.room(LENGTH))));
      }
      TransferOptions options = TransferOptions.DEFAULT.withTimeout(Duration.ofSeconds(2));
      Transfer begun = bulk.session.objects().fetch(ref, Landing.pooled(LENGTH), options);
      Transfer waiting = bulk.session.objects().fetch(ref, Landing.pooled(LENGTH), options);
      bulk.world.pass(Duration.ofSeconds(1));
      before.getFirst().cancel();
      assertTimePassed(bulk.awaitFailure(begun), begun, "ms passed");
      assertTimePassed(bulk.awaitFailure(waiting), waiting, "ms passed before its turn");
      bulk.world.network().heal(URI.create(bulk.world.address()));
      before.forEach(Transfer::cancel);
      bulk.assertNothingLeft();
    }
  }

  private static void assertTimePassed(TransferException failure, Transfer transfer, String end) {
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    assertThat(failure).hasMessageEndingWith("its time of 2000 " + end);
    assertThat(transfer.progress().elapsed())
        .isBetween(Duration.ofSeconds(2), Duration.ofMillis(2100));
  }

  @Test
  void aTransferMayBeCancelledBeforeItsSessionHasHeardOfIt() {
    try (BulkWorld bulk = new BulkWorld()) {
      Transfer transfer = bulk.fetch(bulk.publish(Source.of(new byte[10])), Landing.pooled(10));
      assertThat(transfer.cancel()).isTrue();
      assertThat(bulk.awaitFailure(transfer).status()).isEqualTo(RpcStatus.CANCELLED);
      bulk.assertNothingLeft();
    }
  }

  @Test
  void cancellingTheFutureOfATransferCancelsIt() {
    try (BulkWorld bulk = new BulkWorld()) {
      Fetching fetching = new Fetching(bulk, 0);
      bulk.steps(12);
      CompletableFuture<Received> result = BulkWorld.future(fetching.transfer);
      assertThat(result.cancel(true)).isTrue();
      assertThat(result).as("told before its memory is free").isNotDone();
      bulk.world.runUntil(result::isDone);
      assertThat(result).isCancelled();
      assertThat(result.cancel(true)).isFalse();
      assertThat(fetching.transfer.cancel()).isFalse();
      TransferException failure =
          catchThrowableOfType(TransferException.class, fetching.transfer::get);
      assertThat(failure.status()).isEqualTo(RpcStatus.CANCELLED);
      assertNobodyWrites(fetching);
      bulk.assertNothingLeft();
    }
  }

  @Test
  void aFutureThatIsCompletedFromOutsideEndsItsTransferFirst() {
    try (BulkWorld bulk = new BulkWorld()) {
      Fetching fetching = new Fetching(bulk, 0);
      bulk.steps(12);
      CompletableFuture<Received> impatient = BulkWorld.future(fetching.transfer);
      TimeoutException late = new TimeoutException("as orTimeout does");
      impatient.completeExceptionally(late);
      bulk.world.runUntil(impatient::isDone);
      assertThat(impatient.exceptionNow()).isSameAs(late);
      assertThat(fetching.transfer.cancel()).isFalse();
      assertNobodyWrites(fetching);
      bulk.assertNothingLeft();
    }
  }

  @Test
  void aServerThatIsGoneForGoodFailsWhatIsUnderWay() {
    try (BulkWorld bulk = new BulkWorld()) {
      Fetching fetching = new Fetching(bulk, 0);
      bulk.steps(12);
      URI address = URI.create(bulk.world.address());
      bulk.world.network().admit(address, Admission.REFUSE);
      bulk.world.network().drop(address, "it was killed");
      assertThat(bulk.awaitFailure(fetching.transfer).status()).isEqualTo(RpcStatus.UNAVAILABLE);
      bulk.world.pass(Duration.ofSeconds(10));
      bulk.assertNothingLeft();
      Transfer late = bulk.fetch(new ObjectRef(1, 1, 1), Landing.pooled(1));
      assertThat(bulk.awaitFailure(late).status()).isEqualTo(RpcStatus.UNAVAILABLE);
    }
  }

  @Test
  void aClosedSessionFailsWhatIsUnderWayAndWhatComesLater() {
    try (BulkWorld bulk = new BulkWorld()) {
      Fetching fetching = new Fetching(bulk, 1);
      bulk.steps(12);
      bulk.session.close();
      assertThat(bulk.awaitFailure(fetching.transfer)).hasMessageContaining("closed");
      assertThat(bulk.awaitFailure(bulk.fetch(new ObjectRef(1, 1, 1), Landing.pooled(1))))
          .hasMessageContaining("closed");
      bulk.assertNothingLeft();
    }
  }

  @Test
  void sourcesStayOpenUntilTheirTransfersAreOver() {
    try (BulkWorld bulk = new BulkWorld()) {
      var published = bulk.server.publish(Source.of(bulk.bytes(LENGTH, 7)), BulkWorld.LEASE);
      Transfer transfer = bulk.fetch(published.ref(), Landing.of(bulk.room(LENGTH)));
      bulk.steps(10);
      published.close();
      bulk.await(transfer);
      assertThat(Objects.requireNonNull(published.ref()).length()).isEqualTo(LENGTH);
    }
  }
}
