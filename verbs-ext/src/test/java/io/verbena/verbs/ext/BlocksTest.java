package io.verbena.verbs.ext;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvWC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
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
  void disnisPollFillsEveryFieldOfACompletion() throws Exception {
    VerbsCq queue =
        new VerbsCq() {
          @Override
          public int poll(CompletionBlock block) {
            MemorySegment wc = MemorySegment.ofAddress(block.address()).reinterpret(48);
            for (int i = 0; i < 48; i++) {
              wc.set(ValueLayout.JAVA_BYTE, i, (byte) (i < 16 ? 0 : i));
            }
            return block.filled(1);
          }

          @Override
          public void arm(boolean solicitedOnly) {}
        };
    IbvWC[] completions = {new IbvWC()};
    assertThat(new PollCqCall(queue, completions, 1).execute().getPolls()).isOne();
    IbvWC wc = completions[0];
    assertThat(List.of(wc.getVendor_err(), wc.getByte_len(), wc.getImm_data()))
        .containsExactly(intAt(16), intAt(20), intAt(24));
    assertThat(List.of(wc.getQp_num(), wc.getSrc_qp(), wc.getWc_flags()))
        .containsExactly(intAt(28), intAt(32), intAt(36));
    assertThat(wc.getPkey_index()).isEqualTo((short) intAt(40));
    assertThat(wc.getSlid()).isEqualTo((short) intAt(42));
    assertThat(wc.getSl()).isEqualTo((short) 44);
    assertThat(wc.getDlid_path_bits()).isEqualTo((short) 45);
  }

  /** The int whose bytes count up from there, as this machine reads it. */
  private static int intAt(int first) {
    return ByteBuffer.wrap(
            new byte[] {(byte) first, (byte) (first + 1), (byte) (first + 2), (byte) (first + 3)})
        .order(ByteOrder.nativeOrder())
        .getInt();
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
