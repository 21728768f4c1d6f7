package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.RemoteTarget;
import io.verbena.testkit.RawPeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Peers that announce much and bring little, and what others find in the memory that all share. */
class SharedMemoryTest {
  private static final int MEMORY = 8 << 20;

  /** The guaranteed part of each session. */
  private static final int SHARE = MEMORY / 2 / 4;

  /** All calls are answered by then, but those that wait for memory. */
  private static final Duration SOON = Duration.ofMillis(200);

  private final BulkWorld bulk =
      new BulkWorld(
          false, server -> server.maxAssemblyBytes(MEMORY).serve(ValuesRpc.bind(new Counting())));
  private final LinkDriver attacker = bulk.world.network().newDriver(() -> {});
  private final List<RawSession> raws = new ArrayList<>();

  /** Says how long what it is given is. */
  private static final class Counting implements Values {
    @Override
    public MemorySegment echo(MemorySegment value) {
      return value;
    }

    @Override
    public Mixed mixed(Mixed value) {
      return value;
    }

    @Override
    public void keep(byte[] value) {}

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
      return new byte[length];
    }
  }

  private ValuesRpc.Async values() {
    return ValuesRpc.async(bulk.session);
  }

  @BeforeEach
  void anHonestClientHasItsSession() {
    assertThat(bulk.await(values().count(new byte[1]))).isOne();
  }

  @AfterEach
  void nothingIsLeftOfPeersThatAreGone() {
    raws.forEach(RawSession::leave);
    attacker.close();
    bulk.world.pass(Duration.ofSeconds(12));
    bulk.assertNothingLeft();
    assertThat(bulk.await(values().count(new byte[SHARE]))).isEqualTo(SHARE);
    bulk.close();
  }

  private RawSession open() {
    RawSession raw = RawSession.open(bulk, attacker);
    raws.add(raw);
    return raw;
  }

  /** Says that an array of so many bytes comes beside a request; in less than 70 bytes. */
  private void announce(RawSession raw, int number, long bytes) {
    byte[] frame =
        RawPeer.call(
            FrameKind.REQUEST,
            number,
            number,
            -1,
            4,
            out -> {
              out.writeVarInt(-1);
              out.writeVarInt(0);
              int table = out.length();
              out.writeCount(1);
              out.writeVarLong(bytes << 1 | 1);
              out.writeInt(out.length() - table);
            });
    frame[2] = FrameHeader.FLAG_LARGE_VALUES;
    assertThat(frame.length).isLessThan(70);
    raw.send(frame);
    RawSession.settle(bulk, attacker);
  }

  /** Has the peer show that it lives, as time passes. */
  private void pass(Duration time) {
    for (long left = time.toMillis(); left > 0; left -= 500) {
      raws.forEach(raw -> raw.say(FrameKind.PING, 0, out -> {}));
      bulk.world.pass(Duration.ofMillis(500));
      RawSession.settle(bulk, attacker);
    }
  }

  @Test
  void onePeerThatAnnouncesMuchHasNobodyElsesArgumentsRefused() {
    RawSession raw = open();
    for (int i = 1; i <= 20; i++) {
      announce(raw, i, MEMORY / 2 - 100); // two would take nearly all
    }
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Integer> call = values().count(new byte[SHARE]).toCompletableFuture();
      pass(SOON);
      assertThat(call).isCompletedWithValue(SHARE);
    }
    assertThat(raw.closed).as("it has broken no rule").isNull();
  }

  @Test
  void whatIsAnnouncedTakesNoMoreThanItsShareAndWhatArrives() {
    RawSession raw = open();
    announce(raw, 1, MEMORY / 2);
    CompletableFuture<Integer> call = values().count(new byte[MEMORY / 2]).toCompletableFuture();
    pass(SOON);
    assertThat(call).isCompletedWithValue(MEMORY / 2);
  }

  /** Brings the first MiB of what was announced, for which four are held then. */
  private void bring(RawSession raw) throws LinkException {
    MemorySegment chunk = bulk.bytes(BulkWorld.CHUNK, 1);
    RemoteTarget target = raw.target(raw.granted.getFirst());
    for (int at = 0; at < 1 << 20; at += BulkWorld.CHUNK) {
      raw.write(target, at, chunk);
      RawSession.settle(bulk, attacker);
    }
  }

  @Test
  void whoNeedsMoreWaitsUntilWhatHasStoppedIsEnded() throws LinkException {
    RawSession raw = open();
    int length = MEMORY / 2 + SHARE / 2;
    announce(raw, 1, length);
    bring(raw);
    CompletableFuture<Integer> call = values().count(new byte[length]).toCompletableFuture();
    pass(Duration.ofSeconds(2));
    assertThat(call).as("the other one has what is lent out").isNotDone();
    pass(Duration.ofSeconds(6));
    assertThat(call).isCompletedWithValue(length);
    assertThat(raw.closed).as("its session goes on").isNull();
    assertThat(raw.heard).contains(FrameKind.FAILURE);
  }

  @Test
  void whoWaitsGoesOnAtOnceWhenAnotherGivesBack() throws LinkException {
    RawSession raw = open();
    int length = MEMORY / 2 + SHARE / 2;
    announce(raw, 1, length);
    bring(raw);
    CompletableFuture<Integer> call = values().count(new byte[length]).toCompletableFuture();
    pass(Duration.ofSeconds(2));
    assertThat(call).as("the other one has what is lent out").isNotDone();
    long now = bulk.world.clock().nanoTime();
    raw.send(
        RawPeer.frame(
            FrameKind.BULK_CANCEL,
            2,
            raw.granted.getFirst().number(),
            out -> {
              out.writeByte(RpcStatus.CANCELLED.code());
              out.writeString("it has changed its mind");
            }));
    RawSession.settle(bulk, attacker);
    assertThat(call).isCompletedWithValue(length);
    assertThat(bulk.world.clock().nanoTime()).as("no time has passed").isEqualTo(now);
  }

  /** Asks for an array of so many bytes. */
  private void askFor(RawSession raw, int number, int bytes) {
    raw.send(
        RawPeer.call(
            FrameKind.REQUEST,
            number,
            number,
            -1,
            5,
            out -> {
              out.writeInt(bytes);
            }));
    RawSession.settle(bulk, attacker);
  }

  @Test
  void onePeerThatTakesNoResultsHasNobodyElsesArgumentsRefused() {
    RawSession raw = open();
    for (int i = 1; i <= 20; i++) {
      askFor(raw, i, 1 << 20); // 16 would take all
    }
    assertThat(raw.heard).as("results that wait to be taken").contains(FrameKind.RESULT);
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Integer> call = values().count(new byte[SHARE]).toCompletableFuture();
      pass(SOON);
      assertThat(call).isCompletedWithValue(SHARE);
    }
    assertThat(raw.closed).as("it has broken no rule").isNull();
  }

  @Test
  void moreThanThereEverIsIsRefusedAtOnceAndNamesTheSetting() {
    RpcException refused = bulk.awaitFailure(values().count(new byte[MEMORY]), RpcException.class);
    assertThat(refused.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
    assertThat(refused).hasMessageContaining("raise maxAssemblyBytes");
  }

  @Test
  void manyLongArgumentsAtOnceHaveTheirTurns() {
    List<CompletionStage<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(values().count(new byte[SHARE * 2]));
    }
    calls.forEach(call -> assertThat(bulk.await(call)).isEqualTo(SHARE * 2));
  }
}
