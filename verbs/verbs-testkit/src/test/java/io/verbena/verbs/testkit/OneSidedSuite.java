package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.WcFlags;
import io.verbena.verbs.ext.WcOpcode;
import io.verbena.verbs.ext.WcStatus;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** WRITE, WRITE with immediate, READ and atomics. */
public abstract class OneSidedSuite extends VerbsSuite {
  private static final int MEBI = 1 << 20;

  private static void assertGood(Wc completion, int opcode) {
    assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
    assertThat(completion.opcode()).isEqualTo(opcode);
  }

  @Test
  void writesAMebibyteWithAnImmediateWhichConsumesAReceive() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Assumptions.assumeTrue(
          VerbsContext.of(pair.active.qp.getContext()).queryDevice().hasWriteWithImmediate());
      Buffer from = pair.active.buffer(MEBI).fill(3);
      Buffer to = pair.passive.openBuffer(MEBI);
      pair.passive.receiveNothing(70);
      pair.passive.receiveNothing(71);
      pair.active
          .request(8, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED, from)
          .remote(0, to.address(), to.rkey())
          .immediate(0, 0x80000001);
      pair.active.post();
      Wc received = pair.passive.awaitReceived();
      assertGood(received, WcOpcode.RECV_RDMA_WITH_IMM);
      assertThat(received.wrId()).isEqualTo(70);
      assertThat(received.byteLength()).isEqualTo(MEBI);
      assertThat(received.has(WcFlags.WITH_IMM)).isTrue();
      assertThat(received.immediate()).isEqualTo(0x80000001);
      assertThat(to.bytes()).isEqualTo(from.bytes());
      assertGood(pair.active.awaitSent(), WcOpcode.RDMA_WRITE);
      assertThat(pair.passive.hasReceived()).as("only one receive was consumed").isFalse();
    }
  }

  @Test
  void makesAWriteVisibleBeforeTheSendThatFollows() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(4096).fill(4);
      Buffer to = pair.passive.openBuffer(8192);
      pair.passive.receive(1, pair.passive.buffer(16));
      pair.active
          .request(2, SendOpcode.RDMA_WRITE, 0, from)
          .remote(0, to.address() + 100, to.rkey());
      pair.active.post();
      pair.active.request(3, SendOpcode.SEND, SendFlags.SIGNALED, from, 0, 16);
      pair.active.post();
      assertThat(pair.passive.awaitReceived().opcode()).isEqualTo(WcOpcode.RECV);
      assertThat(to.bytes(100, 4096)).isEqualTo(from.bytes());
      assertThat(to.bytes(0, 100)).containsOnly(0);
      assertThat(pair.active.awaitSent().wrId()).isEqualTo(3);
    }
  }

  @Test
  void acceptsAnEmptyWriteWithoutAKeyAsAProbeOfThePath() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.active.sends.request(0, 5, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED).remote(0, 0, 0);
      pair.active.post();
      assertGood(pair.active.awaitSent(), WcOpcode.RDMA_WRITE);
    }
  }

  @Test
  void reads() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer source = pair.passive.openBuffer(MEBI).fill(5);
      Buffer to = pair.active.buffer(MEBI);
      pair.active
          .request(6, SendOpcode.RDMA_READ, SendFlags.SIGNALED, to)
          .remote(0, source.address(), source.rkey());
      pair.active.post();
      assertGood(pair.active.awaitSent(), WcOpcode.RDMA_READ);
      assertThat(to.bytes()).isEqualTo(source.bytes());
    }
  }

  @Test
  void fencesASendBehindTheReadItPassesOn() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer source = pair.passive.openBuffer(4096).fill(6);
      Buffer between = pair.active.buffer(4096);
      Buffer back = pair.passive.buffer(4096);
      pair.passive.receive(1, back);
      pair.active
          .request(2, SendOpcode.RDMA_READ, 0, between)
          .remote(0, source.address(), source.rkey());
      pair.active.post();
      pair.active.request(3, SendOpcode.SEND, SendFlags.FENCE | SendFlags.SIGNALED, between);
      pair.active.post();
      pair.passive.awaitReceived();
      assertThat(back.bytes()).isEqualTo(source.bytes());
    }
  }

  @Test
  void keepsMoreReadsOutstandingThanItsLimitWaiting() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer source = pair.passive.openBuffer(10 * 64).fill(7);
      Buffer to = pair.active.buffer(10 * 64);
      for (int i = 0; i < 10; i++) {
        pair.active
            .request(i, SendOpcode.RDMA_READ, SendFlags.SIGNALED, to, i * 64L, 64)
            .remote(0, source.address() + i * 64L, source.rkey());
        pair.active.post();
      }
      for (int i = 0; i < 10; i++) {
        assertThat(pair.active.awaitSent().wrId()).isEqualTo(i);
      }
      assertThat(to.bytes()).isEqualTo(source.bytes());
    }
  }

  @Test
  void comparesAndSwaps() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer word = pair.passive.openBuffer(64);
      word.putLong(8, 41);
      Buffer before = pair.active.buffer(8);
      atomic(pair, SendOpcode.ATOMIC_CMP_AND_SWP, word, before, 41, 99);
      assertGood(pair.active.awaitSent(), WcOpcode.COMP_SWAP);
      assertThat(before.getLong(0)).isEqualTo(41);
      assertThat(word.getLong(8)).isEqualTo(99);
      atomic(pair, SendOpcode.ATOMIC_CMP_AND_SWP, word, before, 41, 7);
      pair.active.awaitSent();
      assertThat(before.getLong(0)).isEqualTo(99);
      assertThat(word.getLong(8)).as("unequal, so unchanged").isEqualTo(99);
    }
  }

  @Test
  void fetchesAndAdds() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer word = pair.passive.openBuffer(64);
      word.putLong(8, -1);
      Buffer before = pair.active.buffer(8);
      atomic(pair, SendOpcode.ATOMIC_FETCH_AND_ADD, word, before, 3, 0);
      assertGood(pair.active.awaitSent(), WcOpcode.FETCH_ADD);
      assertThat(before.getLong(0)).isEqualTo(-1);
      assertThat(word.getLong(8)).isEqualTo(2);
    }
  }

  private static void atomic(
      Pair pair, int opcode, Buffer word, Buffer before, long compareAdd, long swap)
      throws Exception {
    pair.active
        .request(1, opcode, SendFlags.SIGNALED, before)
        .atomic(0, word.address() + 8, word.rkey(), compareAdd, swap);
    pair.active.post();
  }

  @Test
  void writesWithExactlyTheRightsItNeeds() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(64, 0).fill(8);
      Buffer to = pair.passive.buffer(64, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      pair.active
          .request(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, from)
          .remote(0, to.address(), to.rkey());
      pair.active.post();
      assertGood(pair.active.awaitSent(), WcOpcode.RDMA_WRITE);
      assertThat(to.bytes()).isEqualTo(from.bytes());
    }
  }
}
