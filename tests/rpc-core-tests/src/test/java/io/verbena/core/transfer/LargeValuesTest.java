package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.Answer;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.mem.InMemoryNetwork;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Large values in calls travel beside their messages, as bulk. */
class LargeValuesTest {
  private static final int STRIDE = Boolean.getBoolean("verbena.long") ? 3 : 7;
  private static final int LENGTH = 5 * BulkWorld.LONGEST_MESSAGE;

  private final List<byte[]> kept = new ArrayList<>();
  private final List<Long> clientsPool = new ArrayList<>();
  private int echoes;
  private Runnable whileMade = () -> {};

  private final BulkWorld bulk =
      new BulkWorld(
          true,
          server -> server.maxAssemblyBytes(5 * LENGTH).serve(ValuesRpc.bind(new Answering())));

  /** Answers by the book. */
  private final class Answering implements Values {
    @Override
    public MemorySegment echo(MemorySegment value) {
      echoes++;
      clientsPool.add(bulk.client.bulkStats().memoryInUse());
      return value;
    }

    @Override
    public Mixed mixed(Mixed value) {
      return value;
    }

    @Override
    public void keep(byte[] value) {
      kept.add(value);
    }

    @Override
    public ByteBuffer onTheLoop(ByteBuffer value) {
      return value;
    }

    @Override
    public int count(byte[] value) {
      return value.length;
    }

    @Override
    public byte[] make(int length) {
      whileMade.run();
      return random(length, length);
    }
  }

  @AfterEach
  void close() {
    bulk.assertNothingLeft();
    assertThat(bulk.client.slotsInUse()).as("slots in use").isZero();
    bulk.close();
  }

  private ValuesRpc.Async values() {
    return ValuesRpc.async(bulk.session);
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private <T> T await(CompletionStage<T> stage) {
    return bulk.await(stage);
  }

  private RpcException failure(CompletionStage<?> stage) {
    return bulk.awaitFailure(stage, RpcException.class);
  }

  @Test
  void aValueMayBeLongerThanAnyMessage() {
    MemorySegment value = bulk.bytes(LENGTH, 1);
    assertThat(await(values().echo(value)).mismatch(value)).isEqualTo(-1);
    assertThat(await(values().make(LENGTH))).isEqualTo(random(LENGTH, LENGTH));
    ByteBuffer buffer = ByteBuffer.wrap(random(LENGTH, 2));
    assertThat(await(values().onTheLoop(buffer))).isEqualTo(buffer);
    assertThat(buffer.position()).isZero();
  }

  @Test
  void largeAndSmallValuesMixInOneMessage() {
    Values.Mixed sent =
        new Values.Mixed(
            "mixed",
            random(BulkWorld.CHUNK, 1),
            MemorySegment.ofArray(random(100, 2)),
            List.of(
                ByteBuffer.wrap(random(LENGTH, 3)),
                ByteBuffer.allocate(0),
                ByteBuffer.wrap(random(BulkWorld.CHUNK - 1, 4)),
                ByteBuffer.wrap(random(LENGTH, 5)).position(1000)));
    Values.Mixed back = await(values().mixed(sent));
    assertThat(back.name()).isEqualTo("mixed");
    assertThat(back.first()).isEqualTo(sent.first());
    assertThat(back.second().mismatch(sent.second())).isEqualTo(-1);
    assertThat(back.more()).isEqualTo(sent.more());
  }

  @Test
  void moreValuesThanMayTravelBesideTheirMessageStayInIt() {
    List<ByteBuffer> many = new ArrayList<>();
    for (int i = 0; i < 256 + 10; i++) {
      many.add(ByteBuffer.wrap(random(BulkWorld.CHUNK, i)));
    }
    Values.Mixed sent =
        new Values.Mixed("many", new byte[0], MemorySegment.ofArray(new byte[0]), many);
    assertThat(failure(values().mixed(sent)).status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    many.subList(200, many.size()).clear();
    assertThat(await(values().mixed(sent)).more()).isEqualTo(many);
  }

  @Test
  void aValueThatFindsNoMemoryToBeCopiedIntoStaysInItsMessage() {
    List<Received> all = new ArrayList<>();
    int part = (int) BulkWorld.MEMORY / 8;
    keep(all, bulk.session, 5 * part);
    for (int others = 0; others < 3; others++) {
      keep(all, bulk.client.session(bulk.world.address()), part);
    }
    byte[] value = random(BulkWorld.LONGEST_MESSAGE / 2, 1);
    assertThat(await(values().count(value))).isEqualTo(value.length);
    RpcException tooLong = failure(values().count(new byte[LENGTH]));
    assertThat(tooLong).hasMessageContaining("bulkMemoryBytes");
    all.forEach(Received::close);
  }

  /** Has an object of so many bytes come to a session's pooled memory. */
  private void keep(List<Received> all, Session session, int bytes) {
    ObjectRef ref = bulk.publish(Source.of(bulk.room(bytes)));
    all.add(await(session.objects().fetch(ref, Landing.pooled(bytes)).result()));
  }

  @Test
  void anAsyncCallersMemoryMayBeReusedAtOnce() {
    byte[] value = random(LENGTH, 1);
    CompletionStage<ByteBuffer> call = values().onTheLoop(ByteBuffer.wrap(value));
    values().keep(value);
    Arrays.fill(value, (byte) 0);
    assertThat(await(call)).isEqualTo(ByteBuffer.wrap(random(LENGTH, 1)));
    assertThat(kept).hasSize(1).allMatch(one -> Arrays.equals(one, random(LENGTH, 1)));
  }

  @Test
  void aBlockingCallersMemoryIsSentFromWhereItIs() throws InterruptedException {
    MemorySegment value = bulk.bytes(LENGTH, 1);
    AtomicLong mismatch = new AtomicLong();
    Thread caller =
        Thread.ofVirtual()
            .start(() -> mismatch.set(ValuesRpc.client(bulk.session).echo(value).mismatch(value)));
    while (caller.isAlive()) {
      bulk.world.settle();
      Thread.onSpinWait();
    }
    caller.join();
    assertThat(mismatch).hasValue(-1);
    assertThat(clientsPool).containsExactly(0L);
  }

  @Test
  void aSmallCallDoesNotWaitForALargeOneBeforeIt() {
    bulk.open();
    CompletableFuture<byte[]> large = values().make(LENGTH).toCompletableFuture();
    CompletableFuture<Integer> second = values().count(new byte[LENGTH]).toCompletableFuture();
    CompletableFuture<Integer> small = values().count(new byte[3]).toCompletableFuture();
    while (!small.isDone()) {
      bulk.steps(1);
    }
    assertThat(large).isNotDone();
    assertThat(second).isNotDone();
    await(large);
    assertThat(await(second)).isEqualTo(LENGTH);
  }

  @Test
  void lostAndChangedLinksCostNothingButTime() {
    bulk.open();
    int calls = 0;
    for (int step = 0; step < 120; step += STRIDE) {
      MemorySegment value = bulk.bytes(LENGTH, step);
      CompletionStage<MemorySegment> call = values().echo(value);
      calls++;
      bulk.steps(step);
      URI better = bulk.upgrade.lastOffer();
      InMemoryNetwork network = step % 2 == 0 || better == null ? bulk.world.network() : bulk.fast;
      URI address = step % 2 == 0 || better == null ? URI.create(bulk.world.address()) : better;
      network.drop(address, "the cable was pulled");
      assertThat(await(call).mismatch(value)).isEqualTo(-1);
      assertThat(echoes).isEqualTo(calls);
    }
  }

  @Test
  void aCallIsCancelledAtAnyPoint() {
    bulk.open();
    for (int step = 0; step < 120; step += STRIDE) {
      CompletableFuture<MemorySegment> call =
          values().echo(bulk.bytes(LENGTH, 1)).toCompletableFuture();
      bulk.steps(step);
      call.cancel(true);
      bulk.assertNothingLeft();
    }
    assertThat(await(values().count(new byte[LENGTH]))).isEqualTo(LENGTH);
  }

  @Test
  void whatNobodyWaitsForAnyMoreWhenItsReplyComesIsNotSent() {
    List<CompletableFuture<byte[]>> calls = new ArrayList<>();
    whileMade = () -> calls.forEach(call -> call.cancel(true));
    calls.add(values().make(LENGTH).toCompletableFuture());
    bulk.assertNothingLeft();
    assertThat(calls).allMatch(CompletableFuture::isCancelled);
    assertThat(bulk.server.bulkStats().failed()).as("sent, and given up").isOne();
    assertThat(bulk.client.bulkStats().bytesReceived()).isZero();
    whileMade = () -> {};
    assertThat(await(values().make(LENGTH))).hasSize(LENGTH);
  }

  @Test
  void aDeadlinePassesWithValuesUnderWay() {
    bulk.open();
    CompletionStage<Integer> call =
        ValuesRpc.async(bulk.session, CallOptions.timeout(Duration.ofSeconds(1)))
            .count(new byte[LENGTH]);
    bulk.steps(5);
    bulk.world.pauseServer(true);
    assertThat(failure(call).status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
    bulk.world.pauseServer(false);
  }

  @Test
  void valuesThatFindNoMemoryThereAreRefusedAndSurelyNotExecuted() {
    RpcException refused = failure(values().count(new byte[4 * LENGTH]));
    assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(refused.mayRetry()).as("there will never be enough").isFalse();
    assertThat(refused.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(refused).hasMessageContaining("raise maxAssemblyBytes");
    RpcException lost = failure(values().make((int) BulkWorld.MEMORY + 1));
    assertThat(lost.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
    assertThat(lost.execution()).isEqualTo(Execution.EXECUTED);
    assertThat(lost).hasMessageContaining("bulkMemoryBytes");
  }

  @Test
  void onewayCallsWhoseValuesAreRefusedGiveTheirPlacesBack() {
    for (int i = 0; i < 3000; i++) {
      values().keep(new byte[i % 300 == 0 ? 4 * LENGTH : 1]);
      bulk.world.settle();
    }
    assertThat(kept).hasSize(3000 - 10);
  }

  @Test
  void aSessionThatIsLostTakesItsValuesAlong() {
    bulk.open();
    for (int step = 0; step < 60; step += 7) {
      CompletableFuture<MemorySegment> call =
          values().echo(bulk.bytes(LENGTH, 1)).toCompletableFuture();
      bulk.steps(step);
      bulk.accepted.forEach(session -> session.close());
      bulk.world.runUntil(call::isDone);
      bulk.assertNothingLeft();
    }
    assertThat(kept).isEmpty();
  }

  @Test
  void valuesAreOnTheHeapUnlessTheirCallerHasAnArenaForThem() {
    MemorySegment back = await(values().echo(bulk.bytes(LENGTH, 1)));
    assertThat(back.isNative()).isFalse();
    assertThat(back.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(random(LENGTH, 1));
  }

  private ValuesRpc.Async valuesIn(Arena arena) {
    return ValuesRpc.async(bulk.session, CallOptions.DEFAULT.withResultsIn(arena));
  }

  @Test
  void aResultInAnArenaIsPooledUntilThatIsClosedAndNobodyReadsItThen() {
    for (int i = 0; i < 3 * BulkWorld.MEMORY / LENGTH; i++) {
      MemorySegment value = bulk.bytes(LENGTH, i);
      MemorySegment back;
      MemorySegment part;
      try (Arena arena = Arena.ofShared()) {
        back = await(valuesIn(arena).echo(value));
        part = back.asSlice(LENGTH / 2);
        assertThat(back.isNative()).isTrue();
        assertThat(back.mismatch(value)).isEqualTo(-1);
        assertThat(bulk.client.bulkStats().memoryInUse()).isBetween((long) LENGTH, 2L * LENGTH);
      }
      assertThat(bulk.client.bulkStats().memoryInUse()).isZero();
      assertThatThrownBy(() -> back.get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> part.get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aResultInAnArenaIsPooledBehindInterceptorsToo() {
    ClientInterceptor through =
        new ClientInterceptor() {
          @Override
          public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
            return call.proceed();
          }
        };
    try (Arena arena = Arena.ofShared()) {
      CallOptions options = CallOptions.DEFAULT.withResultsIn(arena).withInterceptors(through);
      MemorySegment value = bulk.bytes(LENGTH, 1);
      MemorySegment back = await(ValuesRpc.async(bulk.session, options).echo(value));
      assertThat(back.isNative()).isTrue();
      assertThat(back.mismatch(value)).isEqualTo(-1);
    }
  }

  @Test
  void resultsThatAreKeptHaveOthersWaitUntilTheirArenaIsClosed() {
    int most = (int) BulkWorld.MEMORY * 5 / 8 / Integer.highestOneBit(2 * LENGTH);
    Arena keeps = Arena.ofShared();
    try (Arena arena = Arena.ofShared()) {
      for (int i = 0; i < most; i++) {
        assertThat(await(valuesIn(keeps).echo(bulk.bytes(LENGTH, i))).byteSize()).isEqualTo(LENGTH);
      }
      RpcException full = failure(valuesIn(arena).echo(bulk.bytes(LENGTH, 2)));
      assertThat(full.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
      assertThat(full).hasMessageContaining("bulkMemoryBytes");
      CompletableFuture<MemorySegment> waits =
          valuesIn(arena).echo(bulk.bytes(LENGTH, 3)).toCompletableFuture();
      bulk.world.pass(Duration.ofSeconds(2));
      assertThat(waits).isNotDone();
      keeps.close();
      assertThat(await(waits).mismatch(bulk.bytes(LENGTH, 3))).isEqualTo(-1);
    }
  }

  @Test
  void aResultWhoseArenaIsClosedTooEarlyFailsItsCallAlone() {
    bulk.open();
    for (int step = 0; step < 60; step += STRIDE) {
      Arena arena = Arena.ofShared();
      CompletableFuture<MemorySegment> call =
          valuesIn(arena).echo(bulk.bytes(LENGTH, 1)).toCompletableFuture();
      bulk.steps(step);
      arena.close();
      bulk.world.runUntil(call::isDone);
      if (call.isCompletedExceptionally()) {
        assertThat(failure(call))
            .hasMessageContaining("the arena of its results was closed too early");
      }
      bulk.assertNothingLeft();
    }
  }

  @Test
  void aCallWithAnArenaIsCancelledAtAnyPoint() {
    bulk.open();
    for (int step = 0; step < 120; step += STRIDE) {
      try (Arena arena = Arena.ofShared()) {
        CompletableFuture<MemorySegment> call =
            valuesIn(arena).echo(bulk.bytes(LENGTH, 1)).toCompletableFuture();
        bulk.steps(step);
        call.cancel(true);
      }
      bulk.assertNothingLeft();
    }
  }

  @Test
  void anArenaOfOneThreadIsRefusedBeforeTheCall() {
    try (Arena confined = Arena.ofConfined()) {
      assertThatThrownBy(() -> CallOptions.DEFAULT.withResultsIn(confined))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Arena.ofShared()");
    }
  }
}
