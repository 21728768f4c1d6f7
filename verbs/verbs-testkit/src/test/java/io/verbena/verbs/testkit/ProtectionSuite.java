package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.WcStatus;
import org.junit.jupiter.api.Test;

/** Protection of memory from peers and requests. */
public abstract class ProtectionSuite extends VerbsSuite {
  private static void write(Pair pair, Buffer from, long address, int rkey) throws Exception {
    pair.active
        .request(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, from)
        .remote(0, address, rkey);
    pair.active.post();
  }

  private void assertRefused(Pair pair, int... statuses) throws Exception {
    Wc failed = pair.active.awaitSent();
    assertThat(statuses).as(WcStatus.describe(failed.status())).contains(failed.status());
    assertThat(failed.wrId()).isEqualTo(1);
    assertThat(failed.qpNumber()).isEqualTo(pair.active.qpNumber());
    harness.await(
        "the queue pair in ERR", () -> pair.active.verbs().query().state() == QpState.ERR);
  }

  @Test
  void refusesAWrongRkeyAndFlushesWhatFollows() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(64).fill(1);
      Buffer to = pair.passive.openBuffer(64);
      write(pair, from, to.address(), to.rkey() ^ 0x5a00);
      pair.active.request(2, SendOpcode.SEND, 0, from);
      pair.active.post();
      assertRefused(pair, WcStatus.REM_ACCESS_ERR);
      Wc flushed = pair.active.awaitSent();
      assertThat(flushed.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
      assertThat(flushed.wrId()).isEqualTo(2);
      assertThat(flushed.qpNumber()).isEqualTo(pair.active.qpNumber());
      assertThat(to.bytes()).containsOnly(0);
    }
  }

  @Test
  void refusesAWriteBeyondTheRegion() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.openBuffer(64);
      write(pair, pair.active.buffer(64).fill(1), to.address() + 1, to.rkey());
      assertRefused(pair, WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void refusesAWriteBeforeTheRegion() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.openBuffer(64);
      write(pair, pair.active.buffer(8).fill(1), to.address() - 8, to.rkey());
      assertRefused(pair, WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void refusesAWriteWithoutTheRight() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.buffer(64, Access.LOCAL_WRITE | Access.REMOTE_READ);
      write(pair, pair.active.buffer(64).fill(1), to.address(), to.rkey());
      assertRefused(pair, WcStatus.REM_ACCESS_ERR);
      assertThat(to.bytes()).containsOnly(0);
    }
  }

  @Test
  void refusesAReadWithoutTheRight() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer source = pair.passive.buffer(64, Access.LOCAL_WRITE | Access.REMOTE_WRITE).fill(9);
      Buffer to = pair.active.buffer(64);
      pair.active
          .request(1, SendOpcode.RDMA_READ, SendFlags.SIGNALED, to)
          .remote(0, source.address(), source.rkey());
      pair.active.post();
      assertRefused(pair, WcStatus.REM_ACCESS_ERR);
      assertThat(to.bytes()).containsOnly(0);
    }
  }

  @Test
  void refusesAKeyOfAnotherProtectionDomain() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.openBuffer(64);
      IbvPd other = pair.passive.qp.getContext().allocPd();
      IbvMr foreign =
          VerbsPd.of(other)
              .registerMemory(to.address(), 64, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      write(pair, pair.active.buffer(64).fill(1), to.address(), foreign.getRkey());
      assertRefused(pair, WcStatus.REM_ACCESS_ERR);
      VerbsMr.of(foreign).deregister();
      other.deallocPd();
    }
  }

  @Test
  void refusesTheKeyOfADeregisteredRegion() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.openBuffer(64);
      VerbsMr.of(to.mr()).deregister();
      write(pair, pair.active.buffer(64).fill(1), to.address(), to.rkey());
      assertRefused(pair, WcStatus.REM_ACCESS_ERR);
    }
  }

  @Test
  void refusesAWrongLkey() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(64);
      pair.passive.receive(9, pair.passive.buffer(64));
      pair.active
          .sends
          .request(0, 1, SendOpcode.SEND, SendFlags.SIGNALED)
          .sge(0, from.address(), 64, from.lkey() ^ 0x5a00);
      pair.active.post();
      // The second is rdma_rxe's.
      assertRefused(pair, refusals(WcStatus.LOC_PROT_ERR, WcStatus.LOC_QP_OP_ERR));
    }
  }

  @Test
  void failsBothSidesWhenAMessageIsLongerThanItsReceive() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.buffer(128);
      pair.passive.receive(9, to, 0, 32);
      pair.active.request(1, SendOpcode.SEND, SendFlags.SIGNALED, pair.active.buffer(64).fill(1));
      pair.active.post();
      assertRefused(pair, WcStatus.REM_INV_REQ_ERR, WcStatus.REM_OP_ERR);
      Wc received = pair.passive.awaitReceived();
      assertThat(received.wrId()).isEqualTo(9);
      assertThat(received.status()).isNotEqualTo(WcStatus.SUCCESS);
      assertThat(to.bytes(32, 96)).containsOnly(0);
    }
  }

  @Test
  void failsBothSidesWhenTheReceiveMayNotBeWritten() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(9, pair.passive.buffer(64, 0));
      pair.active.request(1, SendOpcode.SEND, SendFlags.SIGNALED, pair.active.buffer(64).fill(1));
      pair.active.post();
      assertRefused(pair, WcStatus.REM_OP_ERR);
      assertThat(pair.passive.awaitReceived().status()).isNotEqualTo(WcStatus.SUCCESS);
    }
  }

  @Test
  void refusesAMisalignedAtomic() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer word = pair.passive.openBuffer(64);
      pair.active
          .request(1, SendOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED, pair.active.buffer(8))
          .atomic(0, word.address() + 4, word.rkey(), 1, 0);
      try {
        pair.active.post();
      } catch (VerbsException atOnce) {
        assertThat(atOnce.errno()).as("librxe looks before it posts").isEqualTo(Errno.EINVAL);
        return;
      }
      assertRefused(pair, WcStatus.REM_INV_REQ_ERR);
    }
  }

  @Test
  void refusesToRegisterRemoteWriteWithoutLocalWrite() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      VerbsPd pd = VerbsPd.of(pair.active.pd);
      long address = pair.active.unregistered(64).address();
      assertFails(() -> pd.registerMemory(address, 64, Access.REMOTE_WRITE), Errno.EINVAL);
      assertFails(() -> pd.registerMemory(address, 0, Access.LOCAL_WRITE), Errno.EINVAL);
    }
  }
}
