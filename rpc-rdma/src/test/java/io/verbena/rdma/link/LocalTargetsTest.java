package io.verbena.rdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rdma.wire.Immediate;
import org.junit.jupiter.api.Test;

final class LocalTargetsTest {
  @Test
  void namesEveryTargetAnewUntilEpochsBeginAgain() {
    LocalTargets.Names names = new LocalTargets.Names();
    int first = names.claim();
    names.remove(first);
    for (int i = 1; i < Immediate.EPOCHS; i++) {
      int next = names.claim();
      assertThat(next).isNotEqualTo(first);
      assertThat(Immediate.slot(next)).isEqualTo(Immediate.slot(first));
      names.remove(next);
    }
    assertThat(names.claim()).isEqualTo(first);
  }

  @Test
  void aNameThatNobodyWasToldOfIsTheNextOnes() {
    LocalTargets.Names names = new LocalTargets.Names();
    int told = names.claim();
    names.remove(told);
    int next = names.claim();
    for (int i = 0; i < Immediate.EPOCHS; i++) { // as where pinned memory is short for a while
      names.unclaim(next);
      assertThat(names.claim()).isEqualTo(next);
    }
    assertThat(Immediate.epoch(next)).isEqualTo(Immediate.epoch(told) + 1);
  }
}
