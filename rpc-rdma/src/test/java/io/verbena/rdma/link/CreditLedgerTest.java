package io.verbena.rdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.testkit.Seed;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CreditLedgerTest {
  private static final int GUARANTEED = 8;
  private static final int MOST = 32;

  private static CreditLedger ledger() {
    CreditLedger ledger = new CreditLedger(GUARANTEED, MOST);
    ledger.peerTerms(terms());
    return ledger;
  }

  private static Terms terms() {
    return new Terms(GUARANTEED, MOST, SendHeader.CONTROL_CREDITS, 4096, 0);
  }

  @Nested
  class WhatThePeerHasGiven {
    private final CreditLedger ledger = ledger();

    @Test
    void isNothingBeforeItsTermsAreKnown() {
      CreditLedger early = new CreditLedger(GUARANTEED, MOST);
      assertThat(early.canSend()).isFalse();
      assertThat(early.canSendBulk()).isFalse();
      assertThat(early.canSayFarewell()).isFalse();
    }

    @Test
    void isSpentToTheLastByFramesAndLeftInPartByBulk() {
      int bulk = 0;
      for (; ledger.canSendBulk(); bulk++) {
        ledger.spend();
      }
      assertThat(bulk).isEqualTo(GUARANTEED - GUARANTEED / 4);
      int frames = 0;
      for (; ledger.canSend(); frames++) {
        ledger.spend();
      }
      assertThat(frames).isEqualTo(GUARANTEED / 4);
    }

    @Test
    void keepsTheLastControlCreditForTheFarewell() {
      for (int i = 1; i < SendHeader.CONTROL_CREDITS; i++) {
        assertThat(ledger.canReturnCredit()).isTrue();
        ledger.spendControl();
      }
      assertThat(ledger.canReturnCredit()).isFalse();
      assertThat(ledger.canSayFarewell()).isTrue();
    }

    @Test
    void isNeverMoreThanThePeerHas() {
      assertThat(ledger.credited(0, MOST - GUARANTEED)).isNull();
      assertThat(ledger.credited(0, 1)).contains("had not been given");
      assertThat(ledger.credited(1, 0)).contains("had not been given");
      ledger.spend();
      ledger.spendControl();
      assertThat(ledger.credited(1, 1)).isNull();
    }

    @Test
    void isAskedForOnceWhenItRunsDryAndAgainWhenMoreHasCome() {
      assertThat(ledger.asksForMore()).isFalse();
      while (ledger.canSendBulk()) {
        ledger.spend();
      }
      assertThat(ledger.asksForMore()).isTrue();
      assertThat(ledger.asksForMore()).isFalse();
      assertThat(ledger.credited(0, 1)).isNull();
      ledger.spend();
      assertThat(ledger.asksForMore()).isTrue();
    }

    @Test
    void isGivenBackBeyondTheGuarantee() {
      assertThat(ledger.leased()).isZero();
      assertThat(ledger.credited(0, 5)).isNull();
      assertThat(ledger.leased()).isEqualTo(5);
      ledger.giveBack(5);
      assertThat(ledger.leased()).isZero();
    }
  }

  @Nested
  class WhatThePeerWasGiven {
    private final CreditLedger ledger = ledger();

    private void arrive(int messages) {
      for (int i = 0; i < messages; i++) {
        assertThat(ledger.arrived()).isNull();
      }
    }

    private void consume(int messages) {
      for (int i = 0; i < messages; i++) {
        ledger.postAgain();
      }
      ledger.posted();
    }

    @Test
    void isAllThatItMayUse() {
      arrive(GUARANTEED);
      assertThat(ledger.arrived()).contains("promised " + GUARANTEED + " receives");
      for (int i = 0; i < SendHeader.CONTROL_CREDITS; i++) {
        assertThat(ledger.controlArrived()).isNull();
      }
      assertThat(ledger.controlArrived()).contains("control messages");
    }

    @Test
    void isOwedWhenItIsPostedAndPromisedWhenItIsTold() {
      arrive(GUARANTEED);
      ledger.postAgain();
      assertThat(ledger.takeOwed()).as("it is not posted").isZero();
      ledger.posted();
      assertThat(ledger.arrived()).as("it is not told").isNotNull();
      assertThat(ledger.takeOwed()).isEqualTo(1);
      assertThat(ledger.arrived()).isNull();
    }

    @Test
    void isToldByItselfWhenHalfIsOwed() {
      arrive(GUARANTEED);
      consume(GUARANTEED / 2 - 1);
      assertThat(ledger.owesLittle()).isTrue();
      consume(1);
      assertThat(ledger.owesLittle()).isFalse();
    }

    @Test
    void isPostedInCompany() {
      arrive(GUARANTEED);
      ledger.postAgain();
      assertThat(ledger.isWorthPosting()).isFalse();
      ledger.postAgain();
      ledger.postAgain();
      assertThat(ledger.isWorthPosting()).isTrue();
    }

    @Test
    void isPostedBeforeASendWhereMoreThanOneHasComeSinceTheLast() {
      arrive(GUARANTEED);
      for (int i = 0; i < GUARANTEED / 2; i++) {
        ledger.postAgain();
        assertThat(ledger.isWorthPostingBeforeSend()).as("one for one").isFalse();
        ledger.framesGo();
      }
      ledger.postAgain();
      ledger.postAgain();
      assertThat(ledger.isWorthPostingBeforeSend()).isTrue();
    }

    @Test
    void growsByLeasesUpToTheMost() {
      int leased = 0;
      for (int more; (more = ledger.mayLease()) > 0; leased += more) {
        ledger.lease(more);
      }
      assertThat(leased).isEqualTo(MOST - GUARANTEED);
      assertThat(ledger.leases()).isTrue();
      assertThat(ledger.takeOwed()).isEqualTo(leased);
      arrive(MOST);
    }

    @Test
    void shrinksAsLeasesEndOrComeBack() {
      ledger.lease(2);
      ledger.takeOwed();
      arrive(1);
      ledger.endLease();
      assertThat(ledger.leases()).isTrue();
      assertThat(ledger.takeBack(1)).isNull();
      assertThat(ledger.leases()).isFalse();
      arrive(GUARANTEED);
    }

    @Test
    void isNotGivenBackWhereItWasNotLeasedOrIsUsed() {
      assertThat(ledger.takeBack(1)).contains("not leased");
      ledger.lease(2);
      ledger.takeOwed();
      assertThat(ledger.takeBack(0)).contains("not leased");
      assertThat(ledger.takeBack(3)).contains("not leased");
      arrive(GUARANTEED + 1);
      assertThat(ledger.takeBack(2)).contains("not leased");
      assertThat(ledger.takeBack(1)).isNull();
    }

    @Test
    void isGoneWithTheLink() {
      arrive(GUARANTEED);
      for (int i = 0; i < GUARANTEED; i++) {
        ledger.giveUp();
      }
      ledger.posted();
      assertThat(ledger.takeOwed()).isZero();
    }
  }

  /** Two ends that keep the rules, and whose messages take their time. */
  private static final class End {
    private final CreditLedger ledger = ledger();
    private final ArrayDeque<Message> coming = new ArrayDeque<>();
    private int held;

    void send(End peer) {
      if (ledger.canSend()) {
        if (ledger.isWorthPostingBeforeSend()) {
          ledger.posted();
        }
        ledger.framesGo();
        ledger.spend();
        peer.coming.add(message(true));
      }
    }

    void returnCredit(End peer) {
      if (!ledger.owesLittle() && ledger.canReturnCredit()) {
        ledger.spendControl();
        peer.coming.add(message(false));
      }
    }

    private Message message(boolean frames) {
      return new Message(frames, ledger.asksForMore(), ledger.takeOwedControl(), ledger.takeOwed());
    }

    void receive() {
      Message message = coming.poll();
      if (message == null) {
        return;
      }
      assertThat(message.frames ? ledger.arrived() : ledger.controlArrived()).isNull();
      assertThat(ledger.credited(message.control, message.credits)).isNull();
      if (message.wantsMore && ledger.mayLease() > 0) {
        ledger.lease(ledger.mayLease());
      }
      if (message.frames) {
        held++;
      } else {
        ledger.posted();
        ledger.oweControl();
      }
    }

    void consume() {
      if (held > 0) {
        held--;
        ledger.postAgain();
      }
      if (ledger.isWorthPosting()) {
        ledger.posted();
      }
    }
  }

  private record Message(boolean frames, boolean wantsMore, int control, int credits) {}

  @RepeatedTest(20)
  void creditComesBackWhateverTheOrder() {
    Random random = Seed.random("credits of two ends");
    End one = new End();
    End other = new End();
    for (int i = 0; i < 5_000; i++) {
      End end = random.nextBoolean() ? one : other;
      End peer = end == one ? other : one;
      switch (random.nextInt(4)) {
        case 0 -> end.send(peer);
        case 1 -> end.returnCredit(peer);
        case 2 -> end.receive();
        default -> end.consume();
      }
    }
    for (int i = 0; i < 2 * MOST; i++) {
      for (End end : new End[] {one, other}) {
        end.receive();
        end.consume();
        end.returnCredit(end == one ? other : one);
      }
    }
    assertThat(one.coming).isEmpty();
    assertThat(other.coming).isEmpty();
    for (End end : new End[] {one, other}) {
      assertThat(end.ledger.canSend()).as("%s", end.ledger).isTrue();
      assertThat(end.ledger.canSayFarewell()).isTrue();
      assertThat(end.ledger.owesLittle()).isTrue();
    }
  }
}
