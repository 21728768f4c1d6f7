package io.verbena.testkit.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.link.BulkRegion;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.MemoryLife;
import io.verbena.core.link.RemoteTarget;
import io.verbena.testkit.Seed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that lies about landings that stand open harms its own session at most. */
class HostileStandingTest {
  private static final int COUNT = 2;
  private static final int BYTES = 4096;

  private final List<byte[]> taken = new ArrayList<>();
  private final BulkWorld bulk =
      new BulkWorld(
          false,
          s ->
              s.standingLandings(COUNT, BYTES)
                  .onSession(session -> session.objects().onPush(new Taker())));
  private final LinkDriver attacker = bulk.world.network().newDriver(() -> {});
  private final MemorySegment bytes = bulk.bytes(BYTES, 1);
  private long transfers;

  private final class Taker implements PushHandler {
    @Override
    public Landing offered(Offer offer) {
      return Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      taken.add(received.memory().toArray(ValueLayout.JAVA_BYTE));
      received.close();
    }
  }

  @BeforeEach
  void anHonestClientPushes() {
    bulk.await(bulk.session.objects().push("honest", Source.of(bytes)));
  }

  @AfterEach
  void theHonestClientIsServedAndNothingIsLeft() {
    long before = bulk.server.bulkStats().landedAtOnce();
    bulk.await(bulk.session.objects().push("honest", Source.of(bytes)));
    bulk.world.settle();
    assertThat(bulk.server.bulkStats().landedAtOnce()).isEqualTo(before + 1);
    assertThat(taken.getLast()).isEqualTo(array(bytes));
    attacker.close();
    bulk.session.close();
    bulk.world.pass(Duration.ofSeconds(10));
    bulk.assertNothingLeft();
    assertThat(bulk.server.bulkStats().standing()).isZero();
    bulk.close();
  }

  private static byte[] array(MemorySegment memory) {
    return memory.toArray(ValueLayout.JAVA_BYTE);
  }

  private RawSession open() {
    transfers = 0;
    RawSession raw = RawSession.open(bulk, attacker);
    assertThat(raw.standing).hasSize(COUNT);
    return raw;
  }

  private void settle() {
    RawSession.settle(bulk, attacker);
  }

  private void assertThrownOut(RawSession raw) {
    settle();
    assertThat(raw.closed).isNotNull();
  }

  private void assertStays(RawSession raw) {
    settle();
    assertThat(raw.closed).isNull();
  }

  private static RemoteTarget target(RawSession raw, int which) throws LinkException {
    return raw.target(raw.standing.get(which));
  }

  private void write(RawSession raw, RemoteTarget target, long at, int length)
      throws LinkException {
    raw.write(target, at, bytes.asSlice(0, length));
  }

  private long offer(RawSession raw, long landing, long length) {
    long id = ++transfers << 3 | 1;
    raw.say(
        FrameKind.BULK_OFFER,
        id,
        out -> {
          out.writeVarLong(length);
          out.writeByte(2);
          out.writeString("x");
          out.writeVarLong(landing);
        });
    return id;
  }

  private static void sent(RawSession raw, long id) {
    raw.say(FrameKind.BULK_SENT, id, out -> out.writeInt(0));
  }

  @Test
  void anHonestPeerIsGrantedNothingAndMayWriteBeforeItOffers() throws LinkException {
    RawSession raw = open();
    RemoteTarget target = target(raw, 1);
    for (int i = 0; i < 5; i++) {
      write(raw, target, 0, 1000 + i);
      settle();
      sent(raw, offer(raw, raw.standing.get(1).number(), 1000 + i));
      assertStays(raw);
      assertThat(raw.heard).containsExactly(FrameKind.BULK_DONE);
      assertThat(taken.getLast()).isEqualTo(array(bytes.asSlice(0, 1000 + i)));
      raw.heard.clear();
      target.rewind();
    }
  }

  @Test
  void offersInLandingsThatWereNeverTold() {
    for (long landing : new long[] {-1, COUNT + 1, Long.MAX_VALUE}) {
      RawSession raw = open();
      offer(raw, landing, 10);
      assertThrownOut(raw);
    }
  }

  @Test
  void anOfferInALandingThatIsTaken() {
    RawSession raw = open();
    offer(raw, raw.standing.getFirst().number(), 10);
    assertStays(raw);
    offer(raw, raw.standing.getFirst().number(), 10);
    assertThrownOut(raw);
  }

  @Test
  void anOfferThatIsTooLongForItsLanding() {
    RawSession raw = open();
    offer(raw, raw.standing.getFirst().number(), BYTES + 1);
    assertThrownOut(raw);
  }

  @Test
  void anOfferOfLessThanHasArrived() throws LinkException {
    RawSession raw = open();
    write(raw, target(raw, 0), 0, 100);
    settle();
    offer(raw, raw.standing.getFirst().number(), 99);
    assertThrownOut(raw);
  }

  @Test
  void moreThanWasOfferedEndsItsTransferAndItsLanding() throws LinkException {
    RawSession raw = open();
    offer(raw, raw.standing.getFirst().number(), 99);
    settle();
    write(raw, target(raw, 0), 0, 100);
    assertStays(raw);
    assertThat(raw.heard).containsExactly(FrameKind.BULK_CANCEL, FrameKind.BULK_STANDING);
  }

  @Test
  void whatIsWrittenAndNeverOfferedDoesNotCount() throws LinkException {
    RawSession raw = open();
    RemoteTarget target = target(raw, 0);
    for (int at = 0; at < BYTES; at += 1024) {
      write(raw, target, at, 1024);
      assertStays(raw);
    }
    assertThat(raw.heard).isEmpty();
    assertThat(bulk.server.bulkStats().receiving()).isZero();
  }

  @Test
  void aLandingThatIsWrittenAgainBeforeThePeerIsDone() throws LinkException {
    RawSession raw = open();
    RemoteTarget target = target(raw, 0);
    write(raw, target, 0, BYTES);
    target.rewind();
    write(raw, target, 0, 10);
    assertThrownOut(raw);
  }

  @Test
  void aCancelledOfferHasAnotherLandingOpenedInItsPlace() throws LinkException {
    RawSession raw = open();
    RemoteTarget old = target(raw, 0);
    long id = offer(raw, raw.standing.getFirst().number(), 100);
    write(raw, old, 0, 50);
    raw.say(
        FrameKind.BULK_CANCEL,
        id,
        out -> {
          out.writeByte(1);
          out.writeString("enough");
        });
    assertStays(raw);
    assertThat(raw.heard).containsExactly(FrameKind.BULK_STANDING);
    write(raw, old, 50, 50);
    write(raw, target(raw, COUNT), 0, 100);
    sent(raw, offer(raw, raw.standing.get(COUNT).number(), 100));
    assertStays(raw);
    assertThat(taken.getLast()).isEqualTo(array(bytes.asSlice(0, 100)));
    offer(raw, raw.standing.getFirst().number(), 100); // an honest peer may not know yet
    assertStays(raw);
    assertThat(raw.heard.getLast()).isEqualTo(FrameKind.BULK_GRANT);
  }

  private static void tell(RawSession raw, long number, int epoch, byte[] advertisement) {
    tell(raw, number, epoch, advertisement, 1);
  }

  private static void tell(
      RawSession raw, long number, int epoch, byte[] advertisement, long oldest) {
    raw.say(
        FrameKind.BULK_STANDING,
        number,
        out -> {
          out.writeInt(epoch);
          out.writeBytes(advertisement);
          out.writeVarLong(oldest);
        });
  }

  private byte[] advertisement(RawSession raw) throws LinkException {
    BulkRegion region = raw.port().attach(bulk.room(BYTES), MemoryLife.HELD);
    return raw.port().open(region, 0, BYTES, upTo -> {}).advertisement();
  }

  @Test
  void landingsWithNumbersThatDoNotGrow() throws LinkException {
    for (long number : new long[] {5, 4, 0}) {
      RawSession raw = open();
      tell(raw, 5, 1, advertisement(raw));
      assertStays(raw);
      tell(raw, number, 1, advertisement(raw));
      assertThrownOut(raw);
    }
  }

  @Test
  void landingsBesideOpenOnesThatCannotBe() throws LinkException {
    for (long oldest : new long[] {4, 7, 0, -1, Long.MAX_VALUE}) {
      RawSession raw = open();
      tell(raw, 5, 1, advertisement(raw), 5);
      assertStays(raw);
      tell(raw, 6, 1, advertisement(raw), oldest);
      assertThrownOut(raw);
    }
  }

  @Test
  void landingsWithAdvertisementsThatMakeNoSense() {
    for (int length : new int[] {0, 1, 24, 65, 1000}) {
      RawSession raw = open();
      tell(raw, 1, 1, new byte[length]);
      assertThrownOut(raw);
    }
  }

  @Test
  void landingsOfALinkThatThereIsNotAreForgotten() {
    RawSession raw = open();
    for (int i = 1; i <= 200; i++) {
      tell(raw, i, 7, new byte[24]);
    }
    assertStays(raw);
  }

  @Test
  void moreLandingsThanAnyPeerKeepsOpen() throws LinkException {
    RawSession raw = open();
    for (int i = 1; i <= 64; i++) {
      tell(raw, i, 1, advertisement(raw));
      attacker.poll();
      bulk.world.step();
    }
    assertStays(raw);
    tell(raw, 65, 1, advertisement(raw));
    assertThrownOut(raw);
  }

  @Test
  void randomChangesToValidFramesHurtNobodyElse() throws LinkException {
    Random random = Seed.random("mutated frames about standing landings");
    for (int i = 0; i < 300; i++) {
      RawSession raw = open();
      byte[] advertisement = advertisement(raw);
      List<byte[]> frames = new ArrayList<>();
      frames.add(
          RawSession.frame(
              FrameKind.BULK_STANDING,
              1,
              1,
              out -> {
                out.writeInt(1);
                out.writeBytes(advertisement);
                out.writeVarLong(1);
              }));
      frames.add(
          RawSession.frame(
              FrameKind.BULK_OFFER,
              2,
              1 << 3 | 1,
              out -> {
                out.writeVarLong(1000);
                out.writeByte(2);
                out.writeString("x");
                out.writeVarLong(1);
              }));
      frames.add(RawSession.frame(FrameKind.BULK_SENT, 3, 1 << 3 | 1, out -> out.writeInt(0)));
      write(raw, target(raw, 0), 0, 1000);
      raw.sendChanged(frames, random);
      settle();
      raw.leave();
    }
  }
}
