package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.testkit.Seed;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After a push into pooled memory, the bytes of the next one follow their offer at once. */
class EarlyLandingsTest {
  private static final int LENGTH = 100_000;

  /** As much as the memory for a push of {@link #LENGTH} bytes. */
  private static final int ROOM = 128 << 10;

  /** More than a push of that length takes. */
  private static final int STEPS = 200;

  private final BulkWorld bulk = new BulkWorld();
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);
  private final Taker taker = new Taker();

  /** Says where objects land, and keeps a copy of each that lands in memory. */
  private static final class Taker implements PushHandler {
    final List<byte[]> taken = new ArrayList<>();
    Function<Offer, @Nullable Landing> where = offer -> Landing.pooled(offer.length());

    @Override
    public @Nullable Landing offered(Offer offer) {
      return where.apply(offer);
    }

    @Override
    public void received(Offer offer, Received received) {
      try (received) {
        taken.add(received.memory().toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  @BeforeEach
  void open() {
    bulk.open();
    bulk.accepted.getFirst().objects().onPush(taker);
  }

  @AfterEach
  void nothingIsLeft() {
    bulk.assertNothingLeft();
    bulk.close();
  }

  private Transfer push(Source source) {
    return bulk.session.objects().push("it", source);
  }

  /** Pushes once, so that memory waits for the next push. */
  private void pushFirst() {
    bulk.await(push(Source.of(bytes)));
    taker.taken.clear();
    assertThat(bulk.server.bulkStats().memoryInUse()).as("memory that waits").isEqualTo(ROOM);
  }

  /** Begins a push whose handler is not asked yet; returns how many of its bytes were sent. */
  private long sentUnasked() {
    long before = bulk.client.bulkStats().bytesSent();
    Transfer push = push(Source.of(bytes));
    for (int i = 0; i < STEPS; i++) {
      bulk.world.step();
    }
    long sent = bulk.client.bulkStats().bytesSent() - before;
    assertThat(BulkWorld.isOver(push)).isFalse();
    bulk.await(push);
    return sent;
  }

  private void assertTaken() {
    assertThat(taker.taken).containsExactly(bytes.toArray(ValueLayout.JAVA_BYTE));
    taker.taken.clear();
  }

  @Test
  void theBytesOfTheNextPushComeBeforeItsHandlerIsAsked() {
    assertThat(sentUnasked()).isZero();
    taker.taken.clear();
    assertThat(sentUnasked()).isEqualTo(LENGTH);
    assertTaken();
    assertThat(sentUnasked()).as("and that of the one after").isEqualTo(LENGTH);
    assertTaken();
  }

  @Test
  void nothingWaitsForPushesThatAreChecked() {
    TransferOptions checked = TransferOptions.DEFAULT.withChecksum();
    bulk.await(bulk.session.objects().push("it", Source.of(bytes), checked));
    assertTaken();
    assertThat(bulk.server.bulkStats().memoryInUse()).as("memory that waits").isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, ROOM / 8, ROOM + 1, 3 << 20})
  void aPushThatDoesNotFitGoesTheOrdinaryWay(int length) {
    pushFirst();
    MemorySegment other = bulk.bytes(length, 2);
    bulk.await(push(Source.of(other)));
    assertThat(taker.taken).containsExactly(other.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void aHandlerMayWantItElsewhere() {
    pushFirst();
    MemorySegment own = bulk.room(LENGTH);
    taker.where = offer -> Landing.of(own);
    bulk.await(push(Source.of(bytes)));
    assertThat(own.mismatch(bytes)).isEqualTo(-1);
    taker.taken.clear();
    taker.where = offer -> Landing.pooled(offer.length());
    assertThat(sentUnasked()).as("it is not tried again at once").isZero();
  }

  @Test
  void aHandlerMayWantItInChunks() {
    pushFirst();
    List<byte[]> chunks = new ArrayList<>();
    taker.where =
        offer -> Landing.chunks((chunk, at) -> chunks.add(chunk.toArray(ValueLayout.JAVA_BYTE)));
    bulk.await(
        push(Source.generator(LENGTH, (to, at) -> to.copyFrom(bytes.asSlice(at, to.byteSize())))));
    assertThat(chunks.stream().mapToInt(chunk -> chunk.length).sum()).isEqualTo(LENGTH);
    assertThat(chunks.getFirst()).startsWith(bytes.asSlice(0, 100).toArray(ValueLayout.JAVA_BYTE));
  }

  /** It compares a checksum, and may have a beginning, which is this object's or another's. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aHandlerMayWantItInAFile(int beginning, @TempDir Path directory) throws IOException {
    pushFirst();
    Path file = directory.resolve("it");
    byte[] long3 = bulk.bytes(3 << 20, 3).toArray(ValueLayout.JAVA_BYTE);
    bulk.await(push(Source.of(new byte[1 << 20]))); // so that memory of a MiB waits
    MemorySegment whole = bulk.bytes(1 << 20, 3);
    if (beginning > 0) {
      Files.write(directory.resolve("it.verbena.part"), beginning == 1 ? long3 : new byte[99]);
    }
    taker.where = offer -> Landing.file(file);
    bulk.await(push(Source.of(whole)));
    assertThat(Files.readAllBytes(file)).isEqualTo(whole.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void aHandlerMayRefuseIt() {
    pushFirst();
    taker.where = offer -> null;
    assertThat(bulk.awaitFailure(push(Source.of(bytes))).status())
        .isEqualTo(RpcStatus.PERMISSION_DENIED);
    taker.where =
        offer -> {
          throw new IllegalStateException("no");
        };
    assertThat(bulk.awaitFailure(push(Source.of(bytes))).status()).isEqualTo(RpcStatus.INTERNAL);
    taker.where = offer -> Landing.pooled(offer.length());
    bulk.await(push(Source.of(bytes)));
    assertTaken();
  }

  @Test
  void eitherEndMayCancelWhileTheHandlerIsAsked() {
    for (int step = 0; step < STEPS; step += 5) {
      pushFirst();
      Transfer push = push(Source.of(bytes));
      for (int i = 0; i < step; i++) {
        bulk.world.step();
      }
      push.cancel();
      bulk.world.runUntil(() -> BulkWorld.isOver(push));
      bulk.assertNothingLeft();
      taker.taken.clear();
    }
    taker.where =
        offer -> {
          offer.transfer().cancel();
          return Landing.pooled(offer.length());
        };
    assertThat(bulk.awaitFailure(push(Source.of(bytes))).status()).isEqualTo(RpcStatus.CANCELLED);
  }

  @Test
  void aSenderThatPushesNoMoreGivesTheMemoryBackInASecond() {
    pushFirst();
    bulk.world.pass(Duration.ofMillis(900));
    assertThat(bulk.server.bulkStats().memoryInUse()).isEqualTo(ROOM);
    assertThat(bulk.server.bulkStats().receiving()).as("it is no transfer").isZero();
    bulk.world.pass(Duration.ofMillis(200));
    assertThat(bulk.server.bulkStats().memoryInUse()).isZero();
    bulk.await(push(Source.of(bytes)));
    assertTaken();
  }

  @Test
  void memoryThatWaitsKeepsNoSessionOpen() {
    pushFirst();
    CompletableFuture<Void> drained = bulk.server.drain().toCompletableFuture();
    bulk.world.pass(Duration.ofMillis(500));
    assertThat(drained).isCompleted();
    assertThat(bulk.awaitFailure(push(Source.of(bytes))).status()).isEqualTo(RpcStatus.UNAVAILABLE);
  }

  /** The better link needs a device, which must not keep memory pinned for nothing, or does not. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pushesWhoseLinksAreLostOrChangeArriveOnce(boolean device) {
    Random random = Seed.random("early landings whose links are lost or change");
    for (int round = 0; round < 20; round++) {
      try (BulkWorld changing = new BulkWorld(true)) {
        if (!device) {
          changing.fast.landOnHeap();
        }
        changing.open();
        changing.accepted.getFirst().objects().onPush(taker);
        pushesWhoseLinksChange(changing, random);
        changing.assertNothingLeft();
      }
    }
  }

  private void pushesWhoseLinksChange(BulkWorld bulk, Random random) {
    for (int i = 0; i < 8; i++) {
      Transfer push = bulk.session.objects().push("it", Source.of(bytes));
      boolean elsewhere = random.nextInt(8) == 0;
      MemorySegment own = bulk.room(LENGTH);
      taker.where = offer -> elsewhere ? Landing.of(own) : Landing.pooled(offer.length());
      boolean asked = random.nextBoolean();
      for (int step = random.nextInt(40); step > 0; step--) {
        bulk.world.step();
        if (asked) {
          bulk.world.runHandlers();
        }
      }
      URI better = bulk.upgrade.lastOffer();
      if (random.nextInt(3) == 0) {
        bulk.world.network().drop(URI.create(bulk.world.address()), "by chance");
      }
      if (better != null && random.nextInt(3) == 0) {
        bulk.fast.drop(better, "by chance");
      }
      bulk.await(push);
      if (elsewhere) {
        assertThat(own.mismatch(bytes)).isEqualTo(-1);
        taker.taken.clear();
      } else {
        assertTaken();
      }
      bulk.world.clock().advance(Duration.ofMillis(random.nextInt(300)));
    }
  }
}
