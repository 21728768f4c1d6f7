package io.verbena.verbs.ext;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class BlocksTest {
  private final Arena arena = Arena.ofAuto();

  @Test
  void laysOutASendRequestAsTheDeviceReadsIt() {
    SendBlock block = new SendBlock(arena, 2, 2);
    block
        .request(1, 42, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED)
        .sge(1, 0x1000, 16, 7)
        .sge(1, 0x2000, 32, 8)
        .remote(1, 0x9000, 99)
        .immediate(1, 0x01020304);
    MemorySegment wr = MemorySegment.ofAddress(block.chain(1, 1)).reinterpret(128);

    assertThat(wr.get(JAVA_LONG, 0)).isEqualTo(42);
    assertThat(wr.get(JAVA_LONG, 8)).as("next").isZero();
    assertThat(wr.get(JAVA_INT, 24)).as("num_sge").isEqualTo(2);
    assertThat(wr.get(JAVA_INT, 28)).as("opcode").isEqualTo(1);
    assertThat(wr.asSlice(36, 4).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3, 4);
    assertThat(wr.get(JAVA_LONG, 40)).isEqualTo(0x9000);
    MemorySegment sges = MemorySegment.ofAddress(wr.get(JAVA_LONG, 16)).reinterpret(32);
    assertThat(sges.get(JAVA_LONG, 16)).isEqualTo(0x2000);
    assertThat(sges.get(JAVA_INT, 24)).isEqualTo(32);
    assertThat(sges.get(JAVA_INT, 28)).isEqualTo(8);
  }

  @Test
  void chainsOnlyTheRequestsThatArePosted() {
    ReceiveBlock block = new ReceiveBlock(arena, 4, 0);
    long first = block.chain(1, 2);
    MemorySegment two = MemorySegment.ofAddress(first).reinterpret(64);
    assertThat(first).isEqualTo(block.address(1));
    assertThat(two.get(JAVA_LONG, 8)).isEqualTo(block.address(2));
    assertThat(two.get(JAVA_LONG, 32 + 8)).isZero();
    assertThatThrownBy(() -> block.chain(3, 2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesMorePiecesThanItHasRoomForAndIndexesBeyondIt() {
    SendBlock block = new SendBlock(arena, 1, 1);
    block.request(0, 1, SendOpcode.SEND, 0).sge(0, 1, 1, 1);
    assertThatThrownBy(() -> block.sge(0, 2, 2, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> block.flags(1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
