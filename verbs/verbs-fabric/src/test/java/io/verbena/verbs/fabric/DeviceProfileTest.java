package io.verbena.verbs.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.testkit.Buffer;
import io.verbena.verbs.testkit.Pair;
import org.junit.jupiter.api.Test;

class DeviceProfileTest {
  private static Pair connect(DeviceProfile profile) throws Exception {
    return Pair.connect(new FabricHarness(1, profile));
  }

  @Test
  void takesAwayWriteWithImmediate() throws Exception {
    try (Pair pair = connect(DeviceProfile.full().withoutWriteWithImmediate())) {
      VerbsContext device = VerbsContext.of(pair.active.qp.getContext());
      assertThat(device.queryDevice().hasWriteWithImmediate()).isFalse();
      Buffer to = pair.passive.openBuffer(8);
      pair.active
          .request(1, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED, pair.active.buffer(8))
          .remote(0, to.address(), to.rkey());
      assertThatThrownBy(pair.active::post).hasMessageContaining("RDMA_WRITE_WITH_IMM");
      pair.active.sends.opcode(0, SendOpcode.RDMA_WRITE);
      pair.active.post();
      assertThat(pair.active.awaitSent().status()).isZero();
    }
  }

  @Test
  void takesAwayMemoryWindows() throws Exception {
    try (Pair pair = connect(DeviceProfile.full().withoutMemoryWindows())) {
      VerbsContext device = VerbsContext.of(pair.active.qp.getContext());
      assertThat(device.queryDevice().hasTypeTwoWindows()).isFalse();
      assertThatThrownBy(pair.active::window).hasMessageContaining("EOPNOTSUPP");
    }
  }

  @Test
  void takesAwayMemoryWindowsThatAreStillReported() throws Exception {
    try (Pair pair = connect(DeviceProfile.full().withWindows(DeviceProfile.Windows.REPORTED))) {
      VerbsContext device = VerbsContext.of(pair.active.qp.getContext());
      assertThat(device.queryDevice().hasTypeTwoWindows()).isTrue();
      assertThatThrownBy(pair.active::window).hasMessageContaining("EOPNOTSUPP");
    }
  }

  @Test
  void takesAwaySharedReceiveQueues() throws Exception {
    try (Pair pair = connect(DeviceProfile.full().withoutSrq())) {
      VerbsContext device = VerbsContext.of(pair.active.qp.getContext());
      assertThat(device.queryDevice().hasSrq()).isFalse();
      assertThatThrownBy(() -> VerbsPd.of(pair.active.pd).createSrq(1, 1))
          .hasMessageContaining("EOPNOTSUPP");
    }
  }

  @Test
  void limitsLockedMemory() throws Exception {
    try (Pair pair = connect(DeviceProfile.full().withMemlock(10_000))) {
      Buffer most = pair.active.buffer(9_000);
      VerbsPd pd = VerbsPd.of(pair.active.pd);
      assertThatThrownBy(() -> pd.registerMemory(most.address(), 1_001, Access.LOCAL_WRITE))
          .hasMessageContaining("ENOMEM")
          .hasMessageContaining("ulimit -l");
      VerbsMr.of(most.mr()).deregister();
      assertThat(pair.active.buffer(10_000).mr().isOpen()).isTrue();
    }
  }

  @Test
  void limitsInlineSends() throws Exception {
    assertThatThrownBy(() -> connect(DeviceProfile.full().withMaxInline(0)))
        .hasMessageContaining("0 bytes inline");
  }

  @Test
  void lowersInlineSends() throws Exception {
    try (Pair pair = connect(DeviceProfile.full().withMaxInline(8).loweringInline())) {
      assertThat(VerbsQp.of(pair.active.qp).query().maxInlineData()).isEqualTo(8);
    }
  }

  @Test
  void takesAwayTheBoundsOfWindowsButNotOfTheirRegions() throws Exception {
    try (Pair pair = connect(DeviceProfile.full().withWindows(DeviceProfile.Windows.UNBOUNDED))) {
      VerbsContext device = VerbsContext.of(pair.active.qp.getContext());
      assertThat(device.queryDevice().hasTypeTwoWindows()).isTrue();
      assertThat(device.queryDevice().hasWindowBounds()).isFalse();
      Buffer to = pair.passive.buffer(64, Access.LOCAL_WRITE | Access.MW_BIND);
      MemoryWindow window = pair.passive.window();
      int rkey = window.nextRkey();
      pair.passive
          .sends
          .request(0, 1, SendOpcode.BIND_MW, SendFlags.SIGNALED)
          .bind(0, window, to.mr(), to.address() + 8, 8, Access.REMOTE_WRITE);
      pair.passive.post();
      assertThat(pair.passive.awaitSent().status()).isZero();
      assertThat(write(pair, to.address(), 16, rkey)).isZero();
      assertThat(write(pair, to.address() + 56, 16, rkey)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
  }

  private static int write(Pair pair, long address, int length, int rkey) throws Exception {
    pair.active
        .request(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, pair.active.buffer(length))
        .remote(0, address, rkey);
    pair.active.post();
    return pair.active.awaitSent().status();
  }
}
