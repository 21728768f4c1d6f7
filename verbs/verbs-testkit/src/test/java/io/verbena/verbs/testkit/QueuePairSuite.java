package io.verbena.verbs.testkit;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpAttributes;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.WcStatus;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** The states of a queue pair, and how it ends. */
public abstract class QueuePairSuite extends VerbsSuite {
  @Test
  void isInInitUntilItIsConnectedAndThenInRts() throws Exception {
    Events events = new Events(harness, harness.passive());
    RdmaCmId listener = Pair.listen(events, harness.address());
    Events activeEvents = new Events(harness, harness.active());
    RdmaCmId id = Pair.resolve(activeEvents, (InetSocketAddress) listener.getSource());
    try (Side side = Side.create(harness, id, new Setup())) {
      assertThat(side.verbs().query().state()).isEqualTo(QpState.INIT);
      side.receive(1, side.buffer(8));
    }
    id.destroyId();
    listener.destroyId();
    activeEvents.close();
    events.close();

    try (Pair pair = Pair.connect(harness)) {
      assertThat(pair.active.verbs().query().state()).isEqualTo(QpState.RTS);
      assertThat(pair.passive.verbs().query().state()).isEqualTo(QpState.RTS);
      assertThat(pair.active.verbs().query().peerQpNumber()).isEqualTo(pair.passive.qpNumber());
    }
  }

  @Test
  void tellsItsAttributes() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.active.verbs().modify(new QpChange().minRnrTimer(12));
      QpAttributes attributes = pair.active.verbs().query();
      assertThat(attributes.minRnrTimer()).isEqualTo(12);
      assertThat(attributes.retries()).isEqualTo(new Setup().retries);
      assertThat(attributes.rnrRetries()).isEqualTo(new Setup().rnrRetries);
      assertThat(attributes.maxReadAtomic()).isEqualTo(new Setup().initiatorDepth);
      assertThat(attributes.maxDestinationReadAtomic()).isEqualTo(new Setup().responderResources);
      assertThat(attributes.maxSendRequests()).isGreaterThanOrEqualTo(new Setup().maxSend);
      assertThat(attributes.maxInlineData()).isGreaterThanOrEqualTo(new Setup().maxInline);
    }
  }

  @Test
  void flushesWhatIsPostedInOrderWhenItFails() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer buffer = pair.active.buffer(8);
      for (int i = 0; i < 3; i++) {
        pair.active.receive(i, buffer);
      }
      pair.active.verbs().modify(QpChange.toError());
      assertThat(pair.active.verbs().query().state()).isEqualTo(QpState.ERR);
      for (int i = 0; i < 3; i++) {
        Wc flushed = pair.active.awaitReceived();
        assertThat(flushed.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(flushed.wrId()).isEqualTo(i);
        assertThat(flushed.qpNumber()).isEqualTo(pair.active.qpNumber());
      }
    }
  }

  @Test
  void flushesWhatIsPostedAfterItFailed() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer buffer = pair.active.buffer(8);
      pair.active.verbs().modify(QpChange.toError());
      pair.active.receive(5, buffer);
      pair.active.request(6, SendOpcode.SEND, 0, buffer);
      pair.active.post();
      Wc sent = pair.active.awaitSent();
      assertThat(sent.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
      assertThat(sent.wrId()).as("errors complete unsignalled sends, too").isEqualTo(6);
      // rdma_rxe does not look at its receive queue in ERR, unless it is told ERR once more.
      pair.active.verbs().modify(QpChange.toError());
      Wc received = pair.active.awaitReceived();
      assertThat(received.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
      assertThat(received.wrId()).isEqualTo(5);
    }
  }

  @Test
  void flushesSendsThatWaitForAReceiver() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer buffer = pair.active.buffer(8);
      for (int i = 0; i < 5; i++) {
        pair.active.request(i, SendOpcode.SEND, 0, buffer);
        pair.active.post();
      }
      pair.active.verbs().modify(QpChange.toError());
      for (int i = 0; i < 5; i++) {
        Wc flushed = pair.active.awaitSent();
        assertThat(flushed.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(flushed.wrId()).isEqualTo(i);
      }
    }
  }

  @Test
  void flushesItsReceivesWhenItsOwnSideDisconnects() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(7, pair.passive.buffer(8));
      pair.active.id.disconnect();
      pair.passiveEvents.await(RDMA_CM_EVENT_DISCONNECTED);
      pair.passive.id.disconnect();
      Wc flushed = pair.passive.awaitReceived();
      assertThat(flushed.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
      assertThat(flushed.wrId()).isEqualTo(7);
    }
  }

  @Test
  void canBeDestroyedUnderLoad() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(1 << 16).fill(1);
      Buffer to = pair.passive.openBuffer(1 << 16);
      for (int i = 0; i < 16; i++) {
        pair.passive.receiveNothing(i);
        pair.active
            .request(i, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED, from)
            .remote(0, to.address(), to.rkey());
        if (pair.active.tryPost() == 0) {
          pair.active.awaitSent();
        }
      }
      pair.active.destroyQp();
      assertFails(pair.active::tryPost, Errno.EBADF);
      while (pair.active.hasSent()) {
        assertThat(pair.active.awaitSent().status())
            .isIn(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR, WcStatus.RETRY_EXC_ERR);
      }
      assertThat(pair.passive.verbs().query().state()).isIn(QpState.RTS, QpState.ERR);
    }
  }

  @Test
  void failsWhenThePeersQueuePairHasFailed() throws Exception {
    Setup impatient = new Setup().retries(1);
    try (Pair pair = Pair.connect(harness, impatient, impatient)) {
      pair.passive.verbs().modify(QpChange.toError());
      pair.active.request(3, SendOpcode.SEND, 0, pair.active.buffer(8));
      pair.active.post();
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    }
  }

  @Test
  void failsWhenThePeersQueuePairIsGone() throws Exception {
    Setup impatient = new Setup().retries(1);
    try (Pair pair = Pair.connect(harness, impatient, impatient)) {
      pair.passive.destroyQp();
      pair.active.request(3, SendOpcode.SEND, 0, pair.active.buffer(8));
      pair.active.post();
      Wc failed = pair.active.awaitSent();
      assertThat(failed.status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
      assertThat(failed.wrId()).isEqualTo(3);
      assertThat(failed.qpNumber()).isEqualTo(pair.active.qpNumber());
    }
  }
}
