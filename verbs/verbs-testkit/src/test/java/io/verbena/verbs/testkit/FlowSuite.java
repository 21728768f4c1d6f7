package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.WcStatus;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Receivers that are not ready, and queues that are full. */
public abstract class FlowSuite extends VerbsSuite {
  /** 0.64 ms, where rdma_cm's own is 655 ms. */
  private static final int SHORT_RNR_TIMER = 12;

  private static void shortenRnrTimer(Side receiver) throws Exception {
    receiver.verbs().modify(new QpChange().minRnrTimer(SHORT_RNR_TIMER));
  }

  private static void send(Side side, long wrId, int flags) throws Exception {
    side.request(wrId, SendOpcode.SEND, flags, side.buffer(8));
    side.post();
  }

  @Test
  void failsWithoutAReceiveWhenToldNotToRepeat() throws Exception {
    try (Pair pair = Pair.connect(harness, new Setup().rnrRetries(0), new Setup().rnrRetries(0))) {
      send(pair.active, 1, SendFlags.SIGNALED);
      Wc failed = pair.active.awaitSent();
      assertThat(failed.status()).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
      assertThat(failed.wrId()).isEqualTo(1);
    }
  }

  @Test
  void failsWithoutAReceiveAfterTheRepeatsItWasGiven() throws Exception {
    try (Pair pair = Pair.connect(harness, new Setup().rnrRetries(2), new Setup().rnrRetries(2))) {
      shortenRnrTimer(pair.passive);
      send(pair.active, 1, SendFlags.SIGNALED);
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.RNR_RETRY_EXC_ERR);
    }
  }

  @Test
  void waitsForAReceive() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      shortenRnrTimer(pair.passive);
      send(pair.active, 1, SendFlags.SIGNALED);
      harness.pass(Duration.ofMillis(5));
      assertThat(pair.active.hasSent()).isFalse();
      pair.passive.receive(2, pair.passive.buffer(8));
      assertThat(pair.passive.awaitReceived().status()).isEqualTo(WcStatus.SUCCESS);
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.SUCCESS);
    }
  }

  @Test
  void waitsForAReceiveForAWriteWithImmediate() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      shortenRnrTimer(pair.passive);
      Buffer from = pair.active.buffer(256).fill(1);
      Buffer to = pair.passive.openBuffer(256);
      pair.active
          .request(1, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED, from)
          .remote(0, to.address(), to.rkey())
          .immediate(0, 17);
      pair.active.post();
      harness.pass(Duration.ofMillis(5));
      assertThat(pair.active.hasSent()).isFalse();
      pair.passive.receiveNothing(2);
      assertThat(pair.passive.awaitReceived().immediate()).isEqualTo(17);
      assertThat(to.bytes()).isEqualTo(from.bytes());
    }
  }

  @Test
  void saysWhenTheSendQueueIsFullAndLosesNothingThatItTook() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      shortenRnrTimer(pair.passive);
      Buffer from = pair.active.buffer(8);
      Buffer to = pair.passive.buffer(8);
      int posted = 0;
      do {
        pair.active.request(posted, SendOpcode.SEND, SendFlags.SIGNALED, from);
      } while (pair.active.tryPost() == 1 && ++posted < 10_000);
      assertThat(posted).isBetween(new Setup().maxSend, 9_999);
      for (int i = 0; i < posted; i++) {
        pair.passive.receive(i, to);
        assertThat(pair.passive.awaitReceived().wrId()).isEqualTo(i);
      }
      for (int i = 0; i < posted; i++) {
        assertThat(pair.active.awaitSent().wrId()).isEqualTo(i);
      }
      pair.passive.receive(99, to);
      send(pair.active, 98, SendFlags.SIGNALED);
      assertThat(pair.active.awaitSent().wrId()).as("there is room again").isEqualTo(98);
    }
  }

  @Test
  void countsOnlyPolledCompletionsWhenAnUnsignalledBatchFillsTheQueue() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(8);
      Buffer to = pair.passive.openBuffer(8);
      for (int round = 0; round < 10; round++) {
        for (int i = 1; i <= 8; i++) {
          pair.active
              .request(i, SendOpcode.RDMA_WRITE, i == 8 ? SendFlags.SIGNALED : 0, from)
              .remote(0, to.address(), to.rkey());
          pair.active.post();
        }
        assertThat(pair.active.awaitSent().wrId()).isEqualTo(8);
      }
    }
  }

  @Test
  void saysWhenTheReceiveQueueIsFull() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.buffer(8);
      int posted = 0;
      try {
        while (posted < 10_000) {
          pair.passive.receive(posted, to);
          posted++;
        }
      } catch (AssertionError full) {
        assertThat(full).hasMessageContaining("full");
      }
      assertThat(posted).isBetween(new Setup().maxReceive, 9_999);
    }
  }

  @Test
  void survivesACompletionQueueThatOverflows() throws Exception {
    Setup smallQueue = new Setup().maxSend(64).sendCqEntries(8);
    try (Pair pair = Pair.connect(harness, smallQueue, new Setup())) {
      Buffer from = pair.active.buffer(8);
      Buffer to = pair.passive.openBuffer(8);
      for (int i = 0; i < 64; i++) {
        pair.active
            .request(i, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, from)
            .remote(0, to.address(), to.rkey());
        pair.active.tryPost();
      }
      harness.pass(Duration.ofMillis(20));
      try (Arena arena = Arena.ofConfined()) {
        CompletionBlock block = new CompletionBlock(arena, 64);
        harness.await("completions", () -> VerbsCq.of(pair.active.sendCq).poll(block) > 0);
        for (int i = 0; i < block.count(); i++) {
          assertThat(block.wrId(i)).as("in order, with none invented").isEqualTo(i);
        }
      }
    }
  }
}
