package io.verbena.rdma.link;

import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The credits of one link; each stands for a receive. Arithmetic alone: nothing is posted here. On
 * the loop.
 *
 * <pre>
 *   what the peer has given:   in hand ──Send, note, WRITE with immediate──→ spent ──any Send of the peer's──→ in hand
 *
 *   what the peer was given:   promised ──it arrives──→ held ──handed over──→ to post ──posted──→ owed ──any Send──→ promised
 *                                                        └── a lease ends, or the link does ──→ nothing
 * </pre>
 *
 * <p>{@link SendHeader} says what takes which credit, and why control credits never run out.
 */
final class CreditLedger {
  private final int guaranteed;
  private final int most;

  /** Receives for frames that are promised, held, to be posted or owed; and those given up. */
  private int entitled;

  private int promised;
  private int held;
  private int toPost;
  private int owed;
  private int givenUp;

  /** What was to be posted when a Send with frames went last. */
  private int toPostAtLastSend;

  private int controlPromised;
  private int controlOwed;

  private int inHand;
  private int controlInHand;
  private int peersGuarantee;
  private int peersMost;

  /** Whether the peer knows, since it returned credit last, that more would be of use. */
  private boolean asked;

  /**
   * A ledger of a link that is not open yet.
   *
   * @param guaranteed receives for frames that the peer may count on
   * @param most as many may be leased to it in all
   */
  CreditLedger(int guaranteed, int most) {
    this.guaranteed = guaranteed;
    this.most = most;
    entitled = guaranteed;
    promised = guaranteed;
    controlPromised = SendHeader.CONTROL_CREDITS;
  }

  // ---- what the peer has given ----

  /** The peer has said what it has posted; there is no credit before. */
  void peerTerms(Terms terms) {
    inHand = terms.frameCredits();
    peersGuarantee = terms.frameCredits();
    peersMost = terms.mostFrameCredits();
    controlInHand = terms.controlCredits();
  }

  /** Returns whether something may be sent that takes a frame credit. */
  boolean canSend() {
    return inHand > 0;
  }

  /** Returns the same for bulk, which leaves a part of the guaranteed credits to frames. */
  boolean canSendBulk() {
    return inHand > peersGuarantee / 4;
  }

  /** Something goes that takes a frame credit. */
  void spend() {
    inHand--;
    assert isSound() : this;
  }

  /** Returns whether credit may go back by itself: the last control credit is the farewell's. */
  boolean canReturnCredit() {
    return controlInHand > 1;
  }

  /** Returns whether there is credit for a farewell. */
  boolean canSayFarewell() {
    return controlInHand > 0;
  }

  /** Something goes that takes a control credit. */
  void spendControl() {
    controlInHand--;
    assert isSound() : this;
  }

  /** A Send goes; returns whether it is to say that more credit would be of use. */
  boolean asksForMore() {
    boolean asks = runsDry(inHand);
    asked |= asks;
    return asks;
  }

  /** Returns whether the peer must be told what only a Send can say, if a credit is spent. */
  boolean hasToSay() {
    return controlOwed > 0 || runsDry(inHand - 1);
  }

  private boolean runsDry(int left) {
    return !asked && peersMost > peersGuarantee && left <= peersGuarantee / 4;
  }

  /** The peer gives credit back; returns what is wrong with that, or null. */
  @Nullable String credited(int control, int frames) {
    if (inHand + frames > peersMost || controlInHand + control > SendHeader.CONTROL_CREDITS) {
      return "the peer returned credit that it had not been given";
    }
    inHand += frames;
    controlInHand += control;
    asked &= frames == 0;
    return null;
  }

  /** Returns how many credits there are beyond the guarantee. */
  int leased() {
    return Math.max(0, inHand - peersGuarantee);
  }

  /** So many leased credits go back to the peer. */
  void giveBack(int credits) {
    inHand -= credits;
    assert isSound() : this;
  }

  Map<String, Long> figures() {
    return Map.of(
        "credits", (long) inHand,
        "credits at most", (long) peersMost,
        "control credits", (long) controlInHand);
  }

  // ---- what the peer was given ----

  /** Something has arrived that takes a frame credit; returns what is wrong with that, or null. */
  @Nullable String arrived() {
    if (promised == 0) {
      return "the peer overran its credits: it was promised " + entitled + " receives";
    }
    promised--;
    held++;
    return null;
  }

  /** Something has arrived that takes a control credit; returns what is wrong, or null. */
  @Nullable String controlArrived() {
    if (controlPromised == 0) {
      return "the peer overran its credits for control messages";
    }
    controlPromised--;
    return null;
  }

  /** A receive for frames is done with, and is to be posted again. */
  void postAgain() {
    held--;
    toPost++;
    assert isSound() : this;
  }

  /** A receive for frames is done with, and serves another link. */
  void endLease() {
    held--;
    entitled--;
    assert isSound() : this;
  }

  /** A receive for frames is done with, and so is the link. */
  void giveUp() {
    held--;
    givenUp++;
    assert isSound() : this;
  }

  /** A receive for a control message is posted again. */
  void oweControl() {
    controlOwed++;
    assert isSound() : this;
  }

  /** What was to be posted is: it can be promised. */
  void posted() {
    owed += toPost;
    toPost = 0;
    toPostAtLastSend = 0;
  }

  /**
   * Returns whether what is to be posted should be, though no Send goes. Posting is a call of the
   * device's. It waits for company as long as the peer has half of its credit left, and credit can
   * go back with a Send that goes anyway.
   */
  boolean isWorthPosting() {
    return toPost >= entitled * 3 / 8 || owed + toPost >= entitled / 2;
  }

  /**
   * Returns whether what is to be posted should be, before a Send with frames that takes along what
   * is owed. So it is where more than one message has come since the last, as with large objects:
   * else a Send would have to go for credit alone before long. Where two ends answer each other
   * nothing is done.
   */
  boolean isWorthPostingBeforeSend() {
    return toPost - toPostAtLastSend > 1 && toPost >= entitled / 4;
  }

  /** A Send with frames goes. */
  void framesGo() {
    toPostAtLastSend = toPost;
  }

  /** Returns whether credit can wait for a Send that goes anyway. */
  boolean owesLittle() {
    return owed < entitled / 2;
  }

  /** Takes what a Send returns. */
  int takeOwed() {
    int taken = Math.min(owed, SendHeader.MOST_FRAME_CREDITS);
    owed -= taken;
    promised += taken;
    assert isSound() : this;
    return taken;
  }

  /** Takes what a Send returns of control credits. */
  int takeOwedControl() {
    int taken = controlOwed;
    controlOwed = 0;
    controlPromised += taken;
    return taken;
  }

  /** Returns how many more receives a peer that has used up what it has may be leased. */
  int mayLease() {
    return Math.min(entitled, most - entitled);
  }

  /** So many more are posted for this link. */
  void lease(int receives) {
    entitled += receives;
    owed += receives;
    assert isSound() : this;
  }

  /** Returns whether the peer has been leased more than its guarantee. */
  boolean leases() {
    return entitled > guaranteed;
  }

  /** The peer has no use for credit that it was leased; returns what is wrong, or null. */
  @Nullable String takeBack(int credits) {
    if (credits < 1 || credits > promised || credits > entitled - guaranteed) {
      return "the peer gave back " + credits + " credits, which it was not leased";
    }
    promised -= credits;
    entitled -= credits;
    assert isSound() : this;
    return null;
  }

  private boolean isSound() {
    return inHand >= 0
        && controlInHand >= 0
        && promised >= 0
        && held >= 0
        && entitled <= Math.max(most, guaranteed)
        && promised + held + toPost + owed + givenUp == entitled
        && controlPromised + controlOwed <= SendHeader.CONTROL_CREDITS;
  }

  @Override
  public String toString() {
    return "in hand %d of %d, control %d; promised %d, held %d, to post %d, owed %d, given up %d of %d, control %d and %d"
        .formatted(
            inHand,
            peersMost,
            controlInHand,
            promised,
            held,
            toPost,
            owed,
            givenUp,
            entitled,
            controlPromised,
            controlOwed);
  }
}
