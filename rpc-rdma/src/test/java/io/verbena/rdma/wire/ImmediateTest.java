package io.verbena.rdma.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.core.link.LinkException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class ImmediateTest {
  @Test
  void holdsTypeSlotAndEpochApart() {
    int landing = Immediate.landing(0xabcd, 0x123);
    int immediate = Immediate.of(14, landing);
    assertThat(immediate).isEqualTo(0xfabcd123);
    assertThat(Immediate.units(immediate)).isEqualTo(14);
    assertThat(Immediate.landing(immediate)).isEqualTo(landing);
    assertThat(Immediate.slot(landing)).isEqualTo(0xabcd);
    assertThat(Immediate.epoch(landing)).isEqualTo(0x123);
  }

  @Test
  void ofTypeZeroIsNone() {
    assertThat(Immediate.units(7)).isEqualTo(-1);
    assertThat(Immediate.units(Immediate.of(0, 7))).isZero();
  }

  @Test
  void wrapsItsEpochAndLeavesTheSlotAlone() {
    int last = Immediate.landing(5, Immediate.EPOCHS - 1);
    int next = Immediate.landing(5, Immediate.epoch(last) + 1);
    assertThat(Immediate.slot(next)).isEqualTo(5);
    assertThat(Immediate.epoch(next)).isZero();
    assertThat(next).isNotEqualTo(last);
  }

  @Test
  void cannotTellOfMoreUnitsThanItHasTypes() {
    assertThatThrownBy(() -> Immediate.of(15, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Immediate.of(-1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isAdvertisedWithAllThatAWriterNeeds() throws LinkException {
    Advertisement made =
        new Advertisement(Immediate.landing(65_535, 4095), -1, Long.MIN_VALUE, 1L << 40, 16);
    assertThat(Advertisement.decode(ByteBuffer.wrap(made.encode()))).isEqualTo(made);
  }
}
