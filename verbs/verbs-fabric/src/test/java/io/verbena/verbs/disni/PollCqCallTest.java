package io.verbena.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvWC;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.VerbsCq;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class PollCqCallTest {
  @Test
  void fillsEveryFieldOfACompletion() throws Exception {
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
}
