package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.codec.WireEncoder;
import io.verbena.core.SessionLimits;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.testkit.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that lies about transfers loses its session; the server keeps nothing for it. */
class HostileBulkTest {
  private static final long FIRST = 1 << 3 | 1;

  private final BulkWorld bulk = new BulkWorld();
  private final LinkDriver attacker = bulk.world.network().newDriver(() -> {});
  private final ObjectRef ref = bulk.publish(Source.of(new byte[100_000]));

  private RawSession open() {
    return RawSession.open(bulk, attacker);
  }

  private void settle() {
    RawSession.settle(bulk, attacker);
  }

  private void assertThrownOut(RawSession raw) {
    settle();
    assertThat(raw.closed).isNotNull();
  }

  @BeforeEach
  void anHonestClientHasItsSession() {
    bulk.await(bulk.fetch(ref, Landing.pooled(100_000))).close();
    bulk.assertNothingLeft();
  }

  @AfterEach
  void theHonestClientIsServedAndNothingIsLeft() {
    bulk.await(bulk.fetch(ref, Landing.pooled(100_000))).close();
    attacker.close();
    bulk.world.pass(Duration.ofSeconds(10));
    bulk.assertNothingLeft();
    bulk.close();
  }

  @Test
  void framesOfTransfersThatWereNeverBegun() {
    for (FrameKind kind :
        List.of(
            FrameKind.BULK_SENT,
            FrameKind.BULK_DONE,
            FrameKind.BULK_CANCEL,
            FrameKind.BULK_GRANT,
            FrameKind.BULK_RESUME,
            FrameKind.BULK_RESUMED)) {
      for (long transfer : new long[] {FIRST, 1 << 3, 99 << 3}) {
        RawSession raw = open();
        raw.say(kind, transfer, out -> out.writeLong(0x0101010101010101L));
        assertThrownOut(raw);
      }
    }
  }

  /** The server granted memory for the next push. Returns the number of that grant. */
  private long grantedEarly(RawSession raw) throws LinkException {
    bulk.accepted.getLast().objects().onPush(offer -> Landing.pooled(offer.length()));
    raw.offer(FIRST, 5_000);
    settle();
    raw.write(raw.target(raw.granted.getFirst()), 0, bulk.bytes(5_000, 1));
    settle();
    assertThat(raw.granted).hasSize(2);
    return raw.granted.getLast().number();
  }

  private RawSession openEarly() {
    return RawSession.open(bulk, attacker, RawSession::sayHelloAndPushEarly);
  }

  @Test
  void offersForMemoryThatWasGrantedBefore() throws LinkException {
    for (long length : new long[] {0, 8_193, Long.MAX_VALUE}) {
      RawSession raw = openEarly();
      raw.offer(grantedEarly(raw), length);
      assertThrownOut(raw);
    }
    RawSession twice = openEarly();
    long number = grantedEarly(twice);
    twice.offer(number, 5_000);
    twice.offer(number, 5_000);
    assertThrownOut(twice);
    RawSession returned = openEarly();
    number = grantedEarly(returned);
    returned.cancel(number);
    settle();
    assertThat(returned.closed).isNull();
    returned.offer(number, 5_000);
    assertThrownOut(returned);
  }

  @Test
  void moreBytesThanWereOfferedForMemoryThatWasGrantedBefore() throws LinkException {
    RawSession raw = openEarly();
    long number = grantedEarly(raw);
    raw.write(raw.target(raw.granted.getLast()), 0, bulk.bytes(8_000, 1));
    raw.offer(number, 5_000);
    settle();
    assertThat(raw.heard).contains(FrameKind.BULK_CANCEL);
    assertThat(raw.closed).isNull();
  }

  @Test
  void moreGrantsForPushesThanAnyoneNeeds() {
    RawSession raw = open();
    for (int i = 1; i <= 1_024; i++) {
      raw.grant((long) i << 3 | 1, 1, 0, 10, new byte[16]);
      if (i % 64 == 0) {
        settle();
      }
    }
    assertThat(raw.closed).isNull();
    raw.grant(1_025 << 3 | 1, 1, 0, 10, new byte[16]);
    assertThrownOut(raw);
  }

  @Test
  void aTransferThatIsBegunTwice() {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, 10);
    raw.fetch(FIRST, ref, 0, 10);
    assertThrownOut(raw);
  }

  @Test
  void objectsAndRangesThatThereAreNotAreRefusedAndTheSessionGoesOn() {
    RawSession raw = open();
    raw.fetch(1 << 3 | 1, new ObjectRef(ref.id(), ref.key() ^ 1, 10), 0, 10);
    raw.fetch(2 << 3 | 1, new ObjectRef(77, 0, 10), 0, 10);
    raw.fetch(3 << 3 | 1, ref, -1, 10);
    raw.fetch(4 << 3 | 1, ref, 1, Long.MAX_VALUE);
    raw.fetch(5 << 3 | 1, ref, 99_999, 2);
    settle();
    assertThat(raw.heard.stream().filter(kind -> kind == FrameKind.BULK_CANCEL)).hasSize(5);
    assertThat(raw.closed).isNull();
  }

  @Test
  void grantsThatCannotBe() {
    record Wrong(int generation, long offset, long length, int advertised) {}
    for (Wrong wrong :
        List.of(
            new Wrong(0, 0, 10, 24),
            new Wrong(1, -1, 10, 24),
            new Wrong(1, 0, 0, 24),
            new Wrong(1, Long.MAX_VALUE, 10, 24),
            new Wrong(1, 5, 10, 24),
            new Wrong(1, 0, 10, 65))) {
      RawSession raw = open();
      raw.fetch(FIRST, ref, 0, 100_000);
      raw.grant(FIRST, wrong.generation, wrong.offset, wrong.length, new byte[wrong.advertised]);
      assertThrownOut(raw);
    }
  }

  @Test
  void grantsThatLeaveAGap() throws LinkException {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, 100_000);
    raw.grantFirst(FIRST, bulk.bytes(10, 1));
    raw.grant(FIRST, 1, 11, 10, new byte[24]);
    assertThrownOut(raw);
  }

  @Test
  void moreGrantsThanAnyReceiverGives() throws LinkException {
    ObjectRef unread = bulk.publish(Source.of(bulk.bytes(8 << 20, 1)));
    RawSession raw = open();
    raw.fetch(FIRST, unread, 0, 8 << 20);
    for (int i = 0; i < 65; i++) {
      raw.grantAt(FIRST, i, bulk.bytes(1, 1));
    }
    assertThrownOut(raw);
  }

  @Test
  void anAdvertisementThatMakesNoSenseEndsItsTransfer() {
    RawSession raw = open();
    raw.fetch(FIRST, ref, 0, 100_000);
    raw.grant(FIRST, 1, 0, 100_000, new byte[24]);
    settle();
    assertThat(raw.heard).contains(FrameKind.BULK_CANCEL);
  }

  @Test
  void fetchesThatAreNeverGrantedTakeNoMemory() {
    RawSession raw = open();
    for (long transfer = 1; transfer <= 1000; transfer++) {
      raw.fetch(transfer << 3 | 1, ref, 0, 100_000);
      settle();
    }
    assertThat(bulk.server.bulkStats().sending()).isEqualTo(1000);
    assertThat(bulk.server.bulkStats().memoryInUse()).isZero();
    assertThat(raw.closed).isNull();
  }

  @Test
  void fetchesThatAreHardlyGrantedTakeHalfOfTheMemoryAtMost() throws LinkException {
    ObjectRef large = bulk.publish(Source.of(new byte[8 << 20]));
    RawSession raw = open();
    for (long transfer = 1; transfer <= 100; transfer++) {
      raw.fetch(transfer << 3 | 1, large, 0, 8 << 20);
      raw.grantFirst(transfer << 3 | 1, bulk.room(1));
      settle();
    }
    assertThat(bulk.server.bulkStats().sending()).isEqualTo(100);
    assertThat(bulk.server.bulkStats().memoryInUse()).isEqualTo(BulkWorld.MEMORY / 2);
    for (int second = 0; second < 12; second++) {
      offer(raw, (200 + second) << 3 | 1, 10); // or it would be taken for dead
      bulk.world.pass(Duration.ofSeconds(1));
      settle();
    }
    assertThat(raw.closed).isNull();
    assertThat(bulk.server.bulkStats().sending()).as("those that hold it").isEqualTo(2);
  }

  /** They go to a consumer, which is reached through blocks of pooled memory. */
  @Test
  void objectsThatAreOfferedAndDoNotComeTakeLittleOfWhatOthersNeed() {
    bulk.accepted.forEach(
        one -> one.objects().onPush(offer -> Landing.chunks((bytes, offset) -> {})));
    RawSession raw = open();
    bulk.accepted.getLast().objects().onPush(offer -> Landing.chunks((bytes, offset) -> {}));
    for (long transfer = 1; transfer <= 100; transfer++) {
      offer(raw, transfer << 3 | 1, 1 << 30);
      settle();
    }
    assertThat(bulk.server.bulkStats().receiving()).isEqualTo(100);
    assertThat(bulk.server.bulkStats().memoryInUse()).isLessThanOrEqualTo(BulkWorld.MEMORY * 5 / 8);
    byte[] bytes = new byte[3 << 20];
    Transfer honest = bulk.session.objects().push("honest", Source.of(bytes));
    bulk.await(honest);
    raw.leave();
    settle();
  }

  @Test
  void progressAndAnEndThatWereNotReached() {
    RawSession ahead = open();
    ahead.fetch(FIRST, ref, 0, 100_000);
    ahead.say(FrameKind.BULK_PROGRESS, FIRST, out -> out.writeVarLong(1));
    assertThrownOut(ahead);
    RawSession done = open();
    done.fetch(FIRST, ref, 0, 100_000);
    done.say(FrameKind.BULK_DONE, FIRST, out -> {});
    assertThrownOut(done);
  }

  @Test
  void offersWithLengthsThatCannotBe() {
    RawSession raw = open();
    offer(raw, FIRST, -5);
    assertThrownOut(raw);
  }

  @Test
  void offersAndFetchesWithFlagsThatThereAreNot() {
    for (int flags : new int[] {8, 64, -1}) {
      RawSession offers = open();
      offers.say(
          FrameKind.BULK_OFFER,
          FIRST,
          out -> {
            out.writeVarLong(10);
            out.writeByte(flags);
            out.writeString("x");
            out.writeVarLong(1);
          });
      assertThrownOut(offers);
      RawSession fetches = open();
      fetches.say(
          FrameKind.BULK_FETCH,
          FIRST,
          out -> {
            out.writeLong(ref.id());
            out.writeLong(ref.key());
            out.writeVarLong(0);
            out.writeVarLong(10);
            out.writeByte(flags);
          });
      assertThrownOut(fetches);
    }
  }

  @Test
  void moreTransfersThanAnyPeerBeginsAreRefused() {
    RawSession raw = open();
    for (int i = 1; i <= 1100; i++) {
      raw.fetch((long) i << 3 | 1, ref, 0, 10);
      attacker.poll();
      bulk.world.step();
    }
    settle();
    assertThat(bulk.server.bulkStats().sending()).isLessThanOrEqualTo(1024);
  }

  @Test
  void landingsForCallsThatNeverComeAreAsManyAsCallsMayBe() {
    int calls = SessionLimits.DEFAULT.maxCalls();
    RawSession raw = open();
    openLandings(raw, 1, calls);
    settle();
    assertThat(raw.closed).isNull();
    openLandings(raw, calls + 1, calls + 1);
    assertThrownOut(raw);
  }

  @Test
  void moreLandingsForACallThanItMayHave() {
    RawSession raw = open();
    for (int i = 0; i < 64; i++) {
      openLandings(raw, 1, 1);
    }
    assertThat(raw.closed).isNull();
    openLandings(raw, 1, 1);
    assertThrownOut(raw);
  }

  private void openLandings(RawSession raw, int first, int last) {
    for (int i = first; i <= last && raw.closed == null; i++) {
      long call = (long) i << 3 | 3;
      raw.say(
          FrameKind.BULK_GRANT,
          call,
          out -> {
            out.writeVarInt(1);
            out.writeVarLong(0);
            out.writeVarLong(10);
            out.writeInt(1);
            out.writeBytes(new byte[24]);
          });
      attacker.poll();
      bulk.world.step();
    }
  }

  @Test
  void messagesThatLieAboutTheValuesBesideThem() {
    List<Consumer<WireEncoder>> lies =
        List.of(
            out -> {},
            out -> out.writeInt(100),
            out -> out.writeInt(-1),
            out -> table(out, 0),
            out -> table(out, 1, 0),
            out -> table(out, 1, (1L << 40) + 1), // an array that there cannot be
            out -> table(out, 2, -2, -2),
            out -> table(out, 200, 2));
    for (FrameKind kind : List.of(FrameKind.REQUEST, FrameKind.RESULT, FrameKind.BULK_DONE)) {
      for (Consumer<WireEncoder> lie : lies) {
        RawSession raw = open();
        raw.send(withLargeValues(kind, 1, 1, lie));
        assertThrownOut(raw);
      }
    }
  }

  @Test
  void aRequestWhoseValuesNeverComeHoldsNothingForLong() {
    RawSession raw = open();
    raw.send(withLargeValues(FrameKind.REQUEST, 1, 1, out -> table(out, 1, 2_000_001)));
    raw.send(withLargeValues(FrameKind.REQUEST, 2, 2, out -> table(out, 1, 2L << 60)));
    settle();
    assertThat(raw.closed).isNull();
    assertThat(raw.heard)
        .containsExactly(FrameKind.BULK_GRANT, FrameKind.BULK_CANCEL, FrameKind.FAILURE);
    bulk.world.pass(Duration.ofSeconds(2)); // its deadline passes
    settle();
    assertThat(raw.heard.subList(3, 5)).containsExactly(FrameKind.BULK_CANCEL, FrameKind.FAILURE);
    raw.send(withLargeValues(FrameKind.REQUEST, 3, 2, out -> table(out, 1, 2_000_001)));
    raw.send(withLargeValues(FrameKind.REQUEST, 4, 2, out -> table(out, 1, 2_000_001)));
    assertThrownOut(raw);
  }

  /** The server calls the attacker, which has memory for the answer then. */
  private CompletionStage<Received> readFrom(RawSession raw) {
    raw.say(
        FrameKind.SERVICES,
        0,
        out -> OfferedService.writeAll(out, List.of(OfferedService.of(LibraryRpc.SERVICE, 0))));
    settle();
    CompletionStage<Received> call =
        LibraryRpc.async(bulk.accepted.getLast()).read("book", Landing.of(bulk.room(1000)));
    settle();
    return call;
  }

  @Test
  void anAnswerThatIsOfferedTwice() {
    RawSession raw = open();
    CompletionStage<Received> call = readFrom(raw);
    long answer = raw.granted.getFirst().number();
    offer(raw, answer, 100);
    offer(raw, answer, 100);
    assertThrownOut(raw);
    bulk.awaitFailure(call, RpcException.class);
  }

  @Test
  void anAnswerThatIsLongerThanItWasOfferedFailsItsCallAtOnce() throws LinkException {
    for (boolean offeredFirst : new boolean[] {true, false}) {
      RawSession raw = open();
      CompletionStage<Received> call = readFrom(raw);
      RawSession.Told landing = raw.granted.getFirst();
      if (offeredFirst) {
        offer(raw, landing.number(), 100);
      }
      raw.write(raw.target(landing), 0, bulk.bytes(200, 1));
      settle();
      if (!offeredFirst) {
        offer(raw, landing.number(), 100);
      }
      settle();
      assertThat(call.toCompletableFuture()).isDone();
      RpcException failure = bulk.awaitFailure(call, RpcException.class);
      assertThat(failure.status()).isEqualTo(RpcStatus.PROTOCOL_ERROR);
      assertThat(failure).hasMessageContaining("of 100 bytes 200 arrived");
      assertThat(raw.heard).contains(FrameKind.BULK_CANCEL);
      assertThat(raw.closed).isNull();
    }
  }

  @Test
  void pushesThatAreCancelledAtOnceStartNoMoreHandlersThanMayRun() {
    RawSession raw = open();
    bulk.accepted.getLast().objects().onPush(offer -> Landing.pooled(offer.length()));
    for (int i = 1; i <= 3000; i++) {
      offer(raw, (long) i << 3 | 1, 10);
      cancel(raw, (long) i << 3 | 1);
      attacker.poll();
      bulk.world.step();
    }
    assertThat(bulk.server.bulkStats().receiving()).isZero();
    assertThat(bulk.world.runHandlers()).isEqualTo(1024);
    settle();
    offer(raw, 3001 << 3 | 1, 10);
    settle();
    assertThat(raw.heard).contains(FrameKind.BULK_GRANT);
  }

  @Test
  void fetchesThatAreCancelledAtOnceReadNoMoreThanMayBeUnderWay() {
    ObjectRef large = bulk.publish(Source.of(bulk.bytes(5 << 20, 1)));
    RawSession raw = open();
    for (int i = 1; i <= 3000; i++) {
      raw.fetch((long) i << 3 | 1, large, 0, 5 << 20, true);
      cancel(raw, (long) i << 3 | 1);
      attacker.poll();
      bulk.world.step();
    }
    assertThat(bulk.server.bulkStats().sending()).isZero();
    assertThat(bulk.world.runHandlers()).as("checksums made").isEqualTo(1024);
    assertThat(raw.closed).isNull();
  }

  private static void cancel(RawSession raw, long transfer) {
    raw.say(
        FrameKind.BULK_CANCEL,
        transfer,
        out -> {
          out.writeByte(1);
          out.writeString("enough");
        });
  }

  private static void offer(RawSession raw, long transfer, long length) {
    raw.say(
        FrameKind.BULK_OFFER,
        transfer,
        out -> {
          out.writeVarLong(length);
          out.writeByte(0);
          out.writeString("x");
        });
  }

  private static void table(WireEncoder out, int count, long... packed) {
    int start = out.length();
    out.writeVarInt(count);
    for (long one : packed) {
      out.writeVarLong(one);
    }
    out.writeInt(out.length() - start);
  }

  private static byte[] withLargeValues(
      FrameKind kind, long sequence, long call, Consumer<WireEncoder> table) {
    byte[] frame = RawSession.call(kind, sequence, call, 1_000_000, 0, table);
    frame[2] = FrameHeader.FLAG_LARGE_VALUES;
    return frame;
  }

  @Test
  void randomChangesToValidFramesHurtNobodyElse() {
    Random random = Seed.random("mutated bulk frames");
    for (int i = 0; i < 300; i++) {
      RawSession raw = open();
      raw.fetch(FIRST, ref, 0, 1000);
      List<byte[]> frames = new ArrayList<>();
      frames.add(withLargeValues(FrameKind.REQUEST, 2, 1, out -> table(out, 2, 2_001, 400)));
      frames.add(
          RawSession.frame(
              FrameKind.BULK_GRANT,
              3,
              FIRST,
              out -> {
                out.writeVarInt(1);
                out.writeVarLong(0);
                out.writeVarLong(1000);
                out.writeInt(1);
                out.writeBytes(new byte[24]);
              }));
      frames.add(
          RawSession.frame(
              FrameKind.BULK_CANCEL,
              4,
              FIRST,
              out -> {
                out.writeByte(1);
                out.writeString("enough");
              }));
      raw.sendChanged(frames, random);
      settle();
      raw.leave();
    }
  }
}
