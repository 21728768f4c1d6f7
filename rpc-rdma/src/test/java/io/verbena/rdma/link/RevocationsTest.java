package io.verbena.rdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rdma.wire.Immediate;
import org.junit.jupiter.api.Test;

final class RevocationsTest {
  private final Revocations revocations = new Revocations();

  private static int landing(int slot, int epoch) {
    return Immediate.landing(slot, epoch);
  }

  @Test
  void coverALandingAndTheEarlierOnesOfItsSlotOnly() {
    assertThat(revocations.add(landing(3, 100))).isTrue();
    assertThat(revocations.covers(landing(3, 100))).isTrue();
    assertThat(revocations.covers(landing(3, 99))).isTrue();
    assertThat(revocations.covers(landing(3, 101))).isFalse();
    assertThat(revocations.covers(landing(2, 100))).isFalse();
    assertThat(revocations.covers(landing(4, 100))).isFalse();
  }

  @Test
  void goOnWhenEpochsBeginAgain() {
    revocations.add(landing(0, 1));
    assertThat(revocations.covers(landing(0, 4095))).isTrue();
    assertThat(revocations.covers(landing(0, 2))).isFalse();
    revocations.add(landing(0, 4095));
    assertThat(revocations.covers(landing(0, 0))).isFalse();
  }

  @Test
  void areRefusedForSlotsThatNobodyHas() {
    assertThat(revocations.add(landing(LandingTable.MOST_OPEN, 1))).isFalse();
    assertThat(revocations.add(landing(LandingTable.MOST_OPEN - 1, 1))).isTrue();
  }

  @Test
  void nameEveryLandingAnewUntilEpochsBeginAgain() {
    LandingTable table = new LandingTable();
    int first = table.claim();
    table.unclaim(first);
    for (int i = 1; i < Immediate.EPOCHS; i++) {
      int next = table.claim();
      assertThat(next).isNotEqualTo(first);
      assertThat(Immediate.slot(next)).isEqualTo(Immediate.slot(first));
      table.unclaim(next);
    }
    assertThat(table.claim()).isEqualTo(first);
  }
}
