package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.WcFlags;
import io.verbena.verbs.ext.WcOpcode;
import io.verbena.verbs.ext.WcStatus;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Type 2 memory windows: the passive side opens a part of its memory to the active side. */
public abstract class WindowSuite extends VerbsSuite {
  private static final int OFFSET = 256;
  private static final int LENGTH = 256;

  @BeforeEach
  void needsWindows() throws Exception {
    for (IbvContext device : harness.passive().devices()) {
      Assumptions.assumeTrue(
          VerbsContext.of(device).queryDevice().hasTypeTwoWindows(), "no type 2 windows");
    }
  }

  /** Binds the window to the middle of the buffer and returns its key. */
  private static int bind(Side side, MemoryWindow window, Buffer buffer, int access)
      throws Exception {
    int rkey = window.nextRkey();
    side.sends
        .request(0, 50, SendOpcode.BIND_MW, SendFlags.SIGNALED)
        .bind(0, window, buffer.mr(), buffer.address() + OFFSET, LENGTH, access);
    side.post();
    Wc bound = side.awaitSent();
    assertThat(bound.status()).as(WcStatus.describe(bound.status())).isEqualTo(WcStatus.SUCCESS);
    assertThat(bound.opcode()).isEqualTo(WcOpcode.BIND_MW);
    return rkey;
  }

  private static void invalidate(Side side, int rkey) throws Exception {
    side.sends.request(0, 51, SendOpcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(0, rkey);
    side.post();
    Wc done = side.awaitSent();
    assertThat(done.status()).as(WcStatus.describe(done.status())).isEqualTo(WcStatus.SUCCESS);
    assertThat(done.opcode()).isEqualTo(WcOpcode.LOCAL_INV);
  }

  private static int write(Pair pair, long address, int length, int rkey) throws Exception {
    Buffer from = pair.active.buffer(length).fill(length);
    pair.active
        .request(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, from)
        .remote(0, address, rkey);
    pair.active.post();
    return pair.active.awaitSent().status();
  }

  /** Open to windows, closed to peers. */
  private static Buffer closed(Pair pair) throws Exception {
    return pair.passive.buffer(1024, Access.LOCAL_WRITE | Access.MW_BIND);
  }

  /**
   * Linux 6.1's rdma_rxe checks the bounds of the region that a window is bound to, not its own.
   */
  private void assumeBoundsOfItsOwn() throws Exception {
    for (IbvContext device : harness.passive().devices()) {
      boolean rxe = VerbsContext.of(device).deviceName().startsWith("rxe");
      Assumptions.assumeFalse(
          rxe && harness.isReal(), "rdma_rxe does not check a window's own bounds");
    }
  }

  @Test
  void opensExactlyItsRange() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      int rkey = bind(pair.passive, pair.passive.window(), memory, Access.REMOTE_WRITE);
      assertThat(write(pair, memory.address() + OFFSET, LENGTH, rkey)).isZero();
      assertThat(memory.bytes(0, OFFSET)).containsOnly(0);
      assertThat(memory.bytes(OFFSET + LENGTH, OFFSET)).containsOnly(0);
      assumeBoundsOfItsOwn();
      assertThat(write(pair, memory.address() + OFFSET + 1, LENGTH, rkey))
          .isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void refusesWhatLiesBeforeItsRange() throws Exception {
    assumeBoundsOfItsOwn();
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      int rkey = bind(pair.passive, pair.passive.window(), memory, Access.REMOTE_WRITE);
      assertThat(write(pair, memory.address() + OFFSET - 1, 1, rkey))
          .isEqualTo(WcStatus.REM_ACCESS_ERR);
      assertThat(memory.bytes()).containsOnly(0);
    }
  }

  @Test
  void refusesRightsThatItDoesNotGive() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      int rkey = bind(pair.passive, pair.passive.window(), memory, Access.REMOTE_READ);
      assertThat(write(pair, memory.address() + OFFSET, 8, rkey))
          .isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void isShutByALocalInvalidation() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      int rkey = bind(pair.passive, pair.passive.window(), memory, Access.REMOTE_WRITE);
      assertThat(write(pair, memory.address() + OFFSET, 8, rkey)).isZero();
      invalidate(pair.passive, rkey);
      assertThat(write(pair, memory.address() + OFFSET + 8, 8, rkey))
          .isEqualTo(WcStatus.REM_ACCESS_ERR);
      assertThat(memory.bytes(OFFSET + 8, 8)).containsOnly(0);
    }
  }

  @Test
  void isShutByThePeersSendWithInvalidate() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      int rkey = bind(pair.passive, pair.passive.window(), memory, Access.REMOTE_WRITE);
      pair.passive.receive(60, pair.passive.buffer(8));
      pair.active
          .request(2, SendOpcode.SEND_WITH_INV, SendFlags.SIGNALED, pair.active.buffer(8))
          .invalidate(0, rkey);
      pair.active.post();
      Wc received = pair.passive.awaitReceived();
      if (!harness.isReal()) { // Linux 6.1's rdma_rxe tells its users neither that nor which.
        assertThat(received.has(WcFlags.WITH_INV)).isTrue();
        assertThat(received.invalidatedRkey()).isEqualTo(rkey);
      }
      assertThat(pair.active.awaitSent().status()).isZero();
      assertThat(write(pair, memory.address() + OFFSET, 8, rkey))
          .isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void canBeBoundAgainUnderANewKey() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      MemoryWindow window = pair.passive.window();
      int old = bind(pair.passive, window, memory, Access.REMOTE_WRITE);
      invalidate(pair.passive, old);
      int fresh = bind(pair.passive, window, memory, Access.REMOTE_WRITE);
      assertThat(fresh).isNotEqualTo(old);
      assertThat(fresh >>> 8).isEqualTo(old >>> 8);
      assertThat(write(pair, memory.address() + OFFSET, 8, fresh)).isZero();
      assertThat(write(pair, memory.address() + OFFSET, 8, old)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void belongsToOneQueuePair() throws Exception {
    try (Pair pair = Pair.connect(harness);
        Pair stranger =
            Pair.connect(harness, harness.address(), new Setup(), new Setup(), pair.passive.pd)) {
      Buffer memory = closed(pair);
      int rkey = bind(pair.passive, pair.passive.window(), memory, Access.REMOTE_WRITE);
      assertThat(write(stranger, memory.address() + OFFSET, 8, rkey))
          .isEqualTo(WcStatus.REM_ACCESS_ERR);
      assertThat(write(pair, memory.address() + OFFSET, 8, rkey)).isZero();
    }
  }

  @Test
  void cannotBeBoundBeyondTheRegion() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      MemoryWindow window = pair.passive.window();
      window.nextRkey();
      pair.passive
          .sends
          .request(0, 50, SendOpcode.BIND_MW, SendFlags.SIGNALED)
          .bind(0, window, memory.mr(), memory.address() + 1000, 25, Access.REMOTE_WRITE);
      assertBindFails(pair.passive);
    }
  }

  @Test
  void cannotBeBoundToARegionThatDoesNotAllowIt() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = pair.passive.buffer(1024, Access.LOCAL_WRITE);
      MemoryWindow window = pair.passive.window();
      window.nextRkey();
      pair.passive
          .sends
          .request(0, 50, SendOpcode.BIND_MW, SendFlags.SIGNALED)
          .bind(0, window, memory.mr(), memory.address(), 8, Access.REMOTE_WRITE);
      assertBindFails(pair.passive);
    }
  }

  /** Libraries may refuse it while posting, devices when they carry it out. */
  private void assertBindFails(Side side) throws Exception {
    try {
      side.post();
    } catch (VerbsException refused) {
      return;
    }
    assertThat(refusals(WcStatus.MW_BIND_ERR, WcStatus.LOC_QP_OP_ERR))
        .contains(side.awaitSent().status());
  }

  @Test
  void keepsItsRegionRegisteredWhileBound() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer memory = closed(pair);
      int rkey = bind(pair.passive, pair.passive.window(), memory, Access.REMOTE_WRITE);
      assertFails(() -> memory.mr().deregMr().execute());
      invalidate(pair.passive, rkey);
      memory.mr().deregMr().execute();
    }
  }
}
