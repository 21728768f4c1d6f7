package io.verbena.rdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rdma.wire.Immediate;
import org.junit.jupiter.api.Test;

final class LocalTargetsTest {
  @Test
  void namesEveryTargetAnewUntilEpochsBeginAgain() {
    LocalTargets.Names names = new LocalTargets.Names();
    int first = names.claim();
    names.unclaim(first);
    for (int i = 1; i < Immediate.EPOCHS; i++) {
      int next = names.claim();
      assertThat(next).isNotEqualTo(first);
      assertThat(Immediate.slot(next)).isEqualTo(Immediate.slot(first));
      names.unclaim(next);
    }
    assertThat(names.claim()).isEqualTo(first);
  }
}
