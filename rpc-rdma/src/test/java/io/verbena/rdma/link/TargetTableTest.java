package io.verbena.rdma.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rdma.wire.Immediate;
import org.junit.jupiter.api.Test;

final class TargetTableTest {
  @Test
  void namesEveryTargetAnewUntilEpochsBeginAgain() {
    TargetTable table = new TargetTable();
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
