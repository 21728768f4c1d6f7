package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.BulkPort;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.BulkNote;
import io.verbena.rdma.wire.Immediate;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.testkit.LinkEnd;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that breaks the rules loses its own link, and nothing else happens. */
final class HostilePeerTest {
  private PassiveEnd passive;
  private RawPeer peer;

  @SuppressWarnings("NullAway.Init") // by connect
  HostilePeerTest() {}

  @BeforeEach
  void connect() throws Exception {
    passive = new PassiveEnd(Seed.random("hostile peers").nextLong());
    peer = new RawPeer(passive).connect(passive.offer());
  }

  @AfterEach
  void close() {
    passive.close();
  }

  private LinkEnd link() {
    return passive.links.getFirst();
  }

  private void assertClosedFor(String why) {
    passive.stepUntil("the link to end", () -> link().heard().isClosed());
    assertThat(link().heard().closedReason()).contains(why);
    assertThat(passive.counted().brokenRules()).isEqualTo(1);
  }

  private static byte[] send(int kind, int controlCredits, int frameCredits, int... more) {
    byte[] bytes = new byte[SendHeader.BYTES + more.length * Integer.BYTES];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    SendHeader.write(buffer, 0, (byte) kind, controlCredits, frameCredits);
    for (int i = 0; i < more.length; i++) {
      buffer.putInt(SendHeader.BYTES + i * Integer.BYTES, more[i]);
    }
    return bytes;
  }

  @Test
  void whoKeepsTheRulesIsHeard() throws IOException {
    peer.send(RawPeer.frame(100)).send(RawPeer.frame(1));
    passive.stepUntil("the frames", () -> link().heard().frames().size() == 2);
    assertThat(link().heard().frames().getFirst()).hasSize(100);
  }

  @Test
  void whoOverrunsItsCreditsIsClosed() throws IOException {
    link().link().setReceiving(false);
    for (int i = 0; i <= PassiveEnd.SETTINGS.guaranteedCredits(); i++) {
      peer.send(RawPeer.frame(10));
    }
    assertClosedFor("overran its credits");
    assertThat(link().heard().frames()).isEmpty();
  }

  @Test
  void whoOverrunsItsCreditsByWritesIsClosed() throws Exception {
    Advertisement open = advertise();
    link().link().setReceiving(false);
    for (int i = 0; i <= PassiveEnd.SETTINGS.guaranteedCredits(); i++) {
      peer.write(open, 10L * i, Immediate.of(0, open.target()), 10);
    }
    assertClosedFor("overran its credits");
  }

  @Test
  void whoOverrunsItsControlCreditsIsClosed() throws IOException {
    for (int i = 0; i <= SendHeader.CONTROL_CREDITS; i++) {
      peer.send(send(SendHeader.CREDIT, 0, 0));
    }
    assertClosedFor("credits for control messages");
  }

  @Test
  void whoGivesBackCreditItWasNotLeasedIsClosed() throws IOException {
    peer.send(note(SendHeader.GIVE_BACK, 1, 0));
    assertClosedFor("gave back 1 credits");
  }

  @Test
  void whoGivesBackNegativeCreditIsClosed() throws IOException {
    peer.send(note(SendHeader.GIVE_BACK, -5, 0));
    assertClosedFor("gave back -5 credits");
  }

  @Test
  void whoReturnsCreditItWasNotGivenIsClosed() throws IOException {
    peer.send(send(SendHeader.CREDIT, 0, 1));
    assertClosedFor("returned credit");
  }

  @Test
  void whoAnnouncesMoreThanItSendsIsClosed() throws IOException {
    peer.send(send(SendHeader.FRAMES, 0, 0, 5, 0));
    assertClosedFor("a frame of 5 bytes where 4 were left");
  }

  @Test
  void whoAnnouncesNegativeLengthsIsClosed() throws IOException {
    peer.send(send(SendHeader.FRAMES, 0, 0, Integer.MIN_VALUE, 0));
    assertClosedFor("a frame of -2147483648 bytes");
  }

  @Test
  void whoAnnouncesAnEmptyFrameIsClosed() throws IOException {
    peer.send(send(SendHeader.FRAMES, 0, 0, 0, 0));
    assertClosedFor("a frame of 0 bytes");
  }

  @Test
  void whoLeavesBytesBehindTheLastFrameIsClosed() throws IOException {
    byte[] frame = RawPeer.frame(10);
    peer.send(Arrays.copyOf(frame, frame.length + 3));
    assertClosedFor("a frame of 0 bytes where -1 were left");
    assertThat(link().heard().frames()).hasSize(1);
  }

  @Test
  void whoSendsLessThanAHeaderIsClosed() throws IOException {
    peer.send((byte) 1);
    assertClosedFor("1 bytes, which are too few for a message");
  }

  /** The peer's Sends are on its device when this end begins to close the link. */
  private void lieHasArrived() throws IOException {
    peer.send(send(99, 0, 0)).send(send(99, 0, 0));
    passive.world.pass(Duration.ofMillis(20).toNanos());
  }

  @Test
  void whoLiesWhileThisEndSaysFarewellIsCountedOnce() throws IOException {
    lieHasArrived();
    link().link().close();
    assertClosedFor("closed by this end");
  }

  @Test
  void whoLiesWhileTheLinkIsDrainedIsCountedOnce() throws IOException {
    lieHasArrived();
    link().link().abort("aborted by the test");
    assertClosedFor("aborted by the test");
  }

  @Test
  void whoSendsAnUnknownKindIsClosed() throws IOException {
    peer.send(send(99, 0, 0));
    assertClosedFor("unknown kind 99");
  }

  @Test
  void whoHidesBytesInAControlMessageIsClosed() throws IOException {
    peer.send(send(SendHeader.CREDIT, 0, 0, 1));
    assertClosedFor("a control message of 8 bytes");
  }

  @Test
  void whoSendsAnImmediateThatIsNoneIsClosed() throws IOException {
    peer.send(SendOpcode.RDMA_WRITE_WITH_IMM);
    assertClosedFor("foreign or stale");
  }

  /** Opens 1000 bytes in the middle of 3000 for the peer. */
  private Advertisement advertise(List<Long> arrived) throws LinkException {
    BulkPort port = Objects.requireNonNull(link().link().bulk());
    MemorySegment memory = passive.memory.allocate(3000, 8);
    BulkTarget target = port.open(port.attach(memory, MemoryLife.HELD), 1000, 1000, arrived::add);
    passive.pass(Duration.ofMillis(20)); // longer than any fabric takes to bind a window
    return Advertisement.decode(ByteBuffer.wrap(target.advertisement()));
  }

  private Advertisement advertise() throws LinkException {
    return advertise(new ArrayList<>());
  }

  @Test
  void whoWritesWhereItMayIsHeard() throws Exception {
    List<Long> arrived = new ArrayList<>();
    Advertisement open = advertise(arrived);
    peer.write(open, 0, Immediate.of(0, open.target()), 600);
    peer.write(open, 600, Immediate.of(0, open.target()), 400);
    passive.stepUntil("the bytes", () -> arrived.size() == 2);
    assertThat(arrived).containsExactly(600L, 1000L);
  }

  @Test
  void whoTellsOfALandingThatIsNotItsIsClosed() throws Exception {
    Advertisement open = advertise();
    int foreign = Immediate.target(Immediate.slot(open.target()) + 1, 1);
    peer.write(open, 0, Immediate.of(0, foreign), 10);
    assertClosedFor("foreign or stale");
  }

  @Test
  void whoTellsByANoteOfALandingThatIsNotItsIsClosed() throws Exception {
    int foreign = Immediate.target(Immediate.slot(advertise().target()) + 1, 1);
    peer.send(note(SendHeader.ARRIVED, foreign, 10));
    assertClosedFor("a target that is foreign or stale");
  }

  @Test
  void whoTellsOfAnEarlierEpochIsClosed() throws Exception {
    Advertisement open = advertise();
    int stale = Immediate.target(Immediate.slot(open.target()), 4095);
    peer.write(open, 0, Immediate.of(0, stale), 10);
    assertClosedFor("foreign or stale");
  }

  @Test
  void whoTellsOfMoreThanFitsIsClosed() throws Exception {
    Advertisement open = advertise();
    peer.write(open, 0, Immediate.of(14, open.target()), 10);
    assertClosedFor("in a target of 1000, after 0 had arrived");
  }

  @Test
  void whoTellsTheSameTwiceIsClosed() throws Exception {
    Advertisement open = advertise();
    peer.write(open, 0, Immediate.of(0, open.target()), 1000);
    peer.write(open, 0, Immediate.of(0, open.target()), 1000);
    assertClosedFor("in a target of 1000, after 1000 had arrived");
  }

  @Test
  void whoTellsOfNegativeBytesIsClosed() throws Exception {
    Advertisement open = advertise();
    peer.send(note(SendHeader.ARRIVED, open.target(), -1));
    assertClosedFor("the peer reports -1 bytes in a target");
  }

  @Test
  void whoWritesOutOfBoundsIsClosed() throws Exception {
    Advertisement open = advertise();
    peer.write(open, 1, Immediate.of(0, open.target()), 1000);
    assertClosedFor("the peer's device was refused access to memory");
  }

  @Test
  void whoWritesByAKeyThatWasNotGivenIsClosed() throws Exception {
    Advertisement open = advertise();
    Advertisement guessed =
        new Advertisement(open.target(), open.rkey() ^ 0x300, open.address(), 1000, 16);
    peer.write(guessed, 0, Immediate.of(0, open.target()), 10);
    assertClosedFor("the peer's device was refused access to memory");
  }

  @Test
  void whoIsRefusedWhileThisEndSendsIsClosedForThat() throws Exception {
    Advertisement open = advertise();
    peer.write(open, 1, Immediate.of(0, open.target()), 1000);
    for (int i = 0; i < 2_000 && !link().heard().isClosed(); i++) {
      link().send(new byte[1]);
      link().link().flush();
      passive.step();
    }
    assertClosedFor("the peer's device was refused access to memory");
  }

  @Test
  void whoSendsMoreThanAReceiveHoldsIsClosed() throws IOException {
    peer.send(new byte[RawPeer.SEND_BYTES + 1]);
    assertClosedFor("too long for its receive");
  }

  @Test
  void whoGivesUpALandingThatNobodyRevokedIsClosed() throws Exception {
    Advertisement open = advertise();
    peer.send(note(SendHeader.REVOKED, open.target(), 0));
    assertClosedFor("confirmed the revocation of a target");
  }

  @Test
  void whoRevokesWhatItCannotHaveIsClosed() throws IOException {
    peer.send(note(SendHeader.REVOKE, 60_000 << 12, 0));
    assertClosedFor("revoked a target that it cannot have");
  }

  @Test
  void whoSendsANoteOfAnotherLengthIsClosed() throws IOException {
    peer.send(send(SendHeader.REVOKE, 0, 0));
    assertClosedFor("a note of 4 bytes");
  }

  private static byte[] note(byte kind, int landing, long arrived) {
    byte[] bytes = new byte[BulkNote.ARRIVED_BYTES];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    SendHeader.write(buffer, 0, kind, 0, 0);
    BulkNote.write(buffer, 0, landing, arrived);
    return Arrays.copyOf(bytes, BulkNote.length(kind));
  }

  @Test
  void noiseEndsItsLinkAndHarmsNoOther() throws Exception {
    Random random = Seed.random("noise");
    byte[] secondOffer = passive.offer();
    RawPeer sound = new RawPeer(passive);
    sound.connect(secondOffer);
    passive.stepUntil("the second link", () -> passive.links.size() == 2);
    for (int i = 0; i < 20; i++) {
      byte[] noise = new byte[1 + random.nextInt(200)];
      random.nextBytes(noise);
      noise[0] = SendHeader.FRAMES;
      peer.send(noise);
    }
    passive.stepUntil("the link to end", () -> link().heard().isClosed());
    sound.send(RawPeer.frame(5));
    LinkEnd other = passive.links.get(1);
    passive.stepUntil("the frame", () -> other.heard().frames().size() == 1);
  }

  /**
   * Receives that links share are no link's own: it may use up those of all others, before this end
   * reads of one. An overflow of the completion queue would end every link of the device.
   */
  @Test
  void whoUsesUpTheReceivesOfAllLinksLosesItsOwn() throws Exception {
    passive.close();
    RdmaSettings many =
        RdmaSettings.DEFAULT.withSlotBytes(512).withCredits(1000).withGuaranteedCredits(1000);
    passive = new PassiveEnd(Seed.random("a flood").nextLong(), many);
    List<RawPeer> all = new ArrayList<>();
    for (int i = 1; i <= 6; i++) {
      int links = i;
      all.add(new RawPeer(passive).connect(passive.offer()));
      passive.stepUntil("the link", () -> passive.links.size() == links);
    }
    for (int i = 0; i < 8000; i++) {
      all.getFirst().send(RawPeer.frame(1));
    }
    passive.world.pass(Duration.ofMillis(500).toNanos()); // in which this end reads nothing
    assertClosedFor("overran its credits");
    for (int i = 1; i < all.size(); i++) {
      LinkEnd other = passive.links.get(i);
      all.get(i).send(RawPeer.frame(5));
      passive.stepUntil("the frame", () -> other.heard().frames().size() == 1);
    }
  }
}
