package io.verbena.rdma.link;

import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The credits of one link; each stands for a receive. This class only counts; it posts nothing. On
 * the loop.
 *
 * <pre>
 *   from the peer:   in hand ──Send, note, WRITE with immediate──→ spent ──any Send of the peer's──→ in hand
 *
 *   to the peer:     promised ──it arrives──→ held ──handed over──→ to post ──posted──→ owed ──any Send──→ promised
 *                                              └── a lease ends, or the link does ──→ nothing
 * </pre>
 *
 * <p>{@link SendHeader} explains which message takes which credit, and why control credits never
 * run out.
 */
final class CreditLedger {
  private final int guaranteed;
  private final int most;

  /** Receives for frames in all four states, and those that were given up. */
  private int entitled;

  private int promised;
  private int held;
  private int toPost;
  private int owed;
  private int givenUp;

  /** The receives that waited to be posted when frames were last sent. */
  private int toPostAtLastSend;

  private int controlPromised;
  private int controlOwed;

  private int inHand;
  private int controlInHand;
  private int peersGuarantee;
  private int peersMost;

  /** Whether the peer was told, since it last returned credit, that this end can use more. */
  private boolean asked;

  /**
   * Makes a ledger for a link that is not open yet.
   *
   * @param guaranteed receives for frames that the peer may count on
   * @param most the largest number of receives, with leased ones
   */
  CreditLedger(int guaranteed, int most) {
    this.guaranteed = guaranteed;
    this.most = most;
    entitled = guaranteed;
    promised = guaranteed;
    controlPromised = SendHeader.CONTROL_CREDITS;
  }

  // ---- credit from the peer ----

  /** Takes the peer's terms; before, there is no credit. */
  void peerTerms(Terms terms) {
    inHand = terms.frameCredits();
    peersGuarantee = terms.frameCredits();
    peersMost = terms.mostFrameCredits();
    controlInHand = terms.controlCredits();
  }

  /** Returns whether a message that takes a frame credit may be sent. */
  boolean canSend() {
    return inHand > 0;
  }

  /** Returns the same for bulk, which leaves a part of the guaranteed credits to frames. */
  boolean canSendBulk() {
    return inHand > peersGuarantee / 4;
  }

  /** Takes a frame credit for a message. */
  void spend() {
    inHand--;
    assert isSound() : this;
  }

  /**
   * Returns whether a message may return credit alone. The last control credit is kept for the
   * farewell.
   */
  boolean canReturnCredit() {
    return controlInHand > 1;
  }

  /** Returns whether there is a credit for the farewell. */
  boolean canSayFarewell() {
    return controlInHand > 0;
  }

  /** Takes a control credit for a message. */
  void spendControl() {
    controlInHand--;
    assert isSound() : this;
  }

  /** Notes that a Send goes; returns whether it must ask for more credit. */
  boolean asksForMore() {
    boolean asks = runsDry(inHand);
    asked |= asks;
    return asks;
  }

  /** Returns whether a Send must go, if a credit is spent, to ask for more. */
  boolean hasToSay() {
    return controlOwed > 0 || runsDry(inHand - 1);
  }

  private boolean runsDry(int left) {
    return !asked && peersMost > peersGuarantee && left <= peersGuarantee / 4;
  }

  /** Takes credit that the peer returns; returns the broken rule, or null. */
  @Nullable String credited(int control, int frames) {
    if (inHand + frames > peersMost || controlInHand + control > SendHeader.CONTROL_CREDITS) {
      return "the peer returned credit that it had not been given";
    }
    inHand += frames;
    controlInHand += control;
    asked &= frames == 0;
    return null;
  }

  /** Returns the number of credits beyond the guarantee. */
  int leased() {
    return Math.max(0, inHand - peersGuarantee);
  }

  /** Returns leased credits to the peer. */
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

  // ---- credit for the peer ----

  /** Notes an arrived message that took a frame credit; returns the broken rule, or null. */
  @Nullable String arrived() {
    if (promised == 0) {
      return "the peer overran its credits: it was promised " + entitled + " receives";
    }
    promised--;
    held++;
    return null;
  }

  /** Notes an arrived message that took a control credit; returns the broken rule, or null. */
  @Nullable String controlArrived() {
    if (controlPromised == 0) {
      return "the peer overran its credits for control messages";
    }
    controlPromised--;
    return null;
  }

  /** A receive for frames is free, and will be posted again. */
  void postAgain() {
    held--;
    toPost++;
    assert isSound() : this;
  }

  /** A receive for frames is free, and serves another link. */
  void endLease() {
    held--;
    entitled--;
    assert isSound() : this;
  }

  /** A receive for frames is free, and the link has ended. */
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

  /** The waiting receives are posted, and can be promised. */
  void posted() {
    owed += toPost;
    toPost = 0;
    toPostAtLastSend = 0;
  }

  /**
   * Returns whether to post waiting receives without a Send. Posting is a call of the device, so
   * receives wait for more of them as long as the peer has half of its credit left, and as long as
   * the credit can go back with a later Send.
   */
  boolean isWorthPosting() {
    return toPost >= entitled * 3 / 8 || owed + toPost >= entitled / 2;
  }

  /**
   * Returns whether to post waiting receives before a Send with frames, which then returns their
   * credit too. This is so if more than one message has arrived since the last Send, as with large
   * objects. Otherwise a separate Send would soon be needed for credit. If two ends only answer
   * each other, nothing is posted here.
   */
  boolean isWorthPostingBeforeSend() {
    return toPost - toPostAtLastSend > 1 && toPost >= entitled / 4;
  }

  /** Notes that a Send with frames goes. */
  void framesGo() {
    toPostAtLastSend = toPost;
  }

  /** Returns whether credit can wait for a Send that goes anyway. */
  boolean owesLittle() {
    return owed < entitled / 2;
  }

  /** Returns the frame credits for a Send to return. */
  int takeOwed() {
    int taken = Math.min(owed, SendHeader.MOST_FRAME_CREDITS);
    owed -= taken;
    promised += taken;
    assert isSound() : this;
    return taken;
  }

  /** Returns the control credits for a Send to return. */
  int takeOwedControl() {
    int taken = controlOwed;
    controlOwed = 0;
    controlPromised += taken;
    return taken;
  }

  /**
   * Returns the number of further receives that may be leased to a peer that has used up its own.
   */
  int mayLease() {
    return Math.min(entitled, most - entitled);
  }

  /** Notes that further receives are posted for this link. */
  void lease(int receives) {
    entitled += receives;
    owed += receives;
    assert isSound() : this;
  }

  /** Returns whether the peer has leased receives beyond its guarantee. */
  boolean leases() {
    return entitled > guaranteed;
  }

  /** Takes leased credit that the peer does not need; returns the broken rule, or null. */
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
