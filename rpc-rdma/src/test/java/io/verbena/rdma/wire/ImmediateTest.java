package io.verbena.rdma.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.LinkException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class ImmediateTest {
  @Test
  void holdsTypeSlotAndEpochApart() {
    int target = Immediate.target(0xabc, 0x123);
    int immediate = Immediate.of(Immediate.MOST_UNITS, target);
    assertThat(immediate).isEqualTo(0xffabc123);
    assertThat(Immediate.units(immediate)).isEqualTo(Immediate.MOST_UNITS);
    assertThat(Immediate.target(immediate)).isEqualTo(target);
    assertThat(Immediate.slot(target)).isEqualTo(0xabc);
    assertThat(Immediate.epoch(target)).isEqualTo(0x123);
  }

  @Test
  void ofTypeZeroIsNone() {
    assertThat(Immediate.units(7)).isEqualTo(-1);
    assertThat(Immediate.units(Immediate.of(0, 7))).isZero();
  }

  @Test
  void wrapsItsEpochAndLeavesTheSlotAlone() {
    int last = Immediate.target(5, Immediate.EPOCHS - 1);
    int next = Immediate.target(5, Immediate.epoch(last) + 1);
    assertThat(Immediate.slot(next)).isEqualTo(5);
    assertThat(Immediate.epoch(next)).isZero();
    assertThat(next).isNotEqualTo(last);
  }

  @Test
  void cannotTellOfMoreUnitsThanItHasTypes() {
    assertThatThrownBy(() -> Immediate.of(Immediate.MOST_UNITS + 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Immediate.of(-1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isAdvertisedWithAllThatAWriterNeeds() throws LinkException {
    Advertisement made =
        new Advertisement(Immediate.target(4095, 4095), -1, Long.MIN_VALUE, 1L << 40, 16);
    assertThat(Advertisement.decode(ByteBuffer.wrap(made.encode()))).isEqualTo(made);
  }
}
