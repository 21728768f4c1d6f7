package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receives that several queue pairs share. */
public abstract class SharedReceiveSuite extends VerbsSuite {
  /** Two connections whose passive sides share an SRQ and a PD. */
  private final class Shared implements AutoCloseable {
    final IbvContext context = harness.passive().devices().getFirst();
    final IbvPd pd = context.allocPd();
    final SharedReceiveQueue srq = VerbsPd.of(pd).createSrq(16, 2);
    final Pair first = connect();
    final Pair second = connect();
    final Buffer memory = first.passive.buffer(16 * 64);

    Shared() throws Exception {}

    private Pair connect() throws Exception {
      return Pair.connect(harness, harness.address(), new Setup(), new Setup().srq(srq), pd);
    }

    void receive(int slot) throws Exception {
      assertThat(first.passive.receiveShared(srq, slot, memory, slot * 64L, 64)).isEqualTo(1);
    }

    void send(Pair pair, int value) throws Exception {
      Buffer from = pair.active.buffer(8);
      from.putLong(0, value);
      pair.active.request(value, SendOpcode.SEND, SendFlags.SIGNALED, from);
      pair.active.post();
    }

    @Override
    public void close() throws IOException {
      second.close();
      first.close();
      srq.destroy();
      pd.close();
    }
  }

  @BeforeEach
  void needsSrq() throws Exception {
    for (IbvContext device : harness.passive().devices()) {
      Assumptions.assumeTrue(VerbsContext.of(device).queryDevice().hasSrq(), "no SRQ");
    }
  }

  @Test
  void servesSeveralQueuePairsAndTellsWhich() throws Exception {
    try (Shared shared = new Shared()) {
      shared.receive(0);
      shared.receive(1);
      shared.send(shared.first, 11);
      Wc one = shared.first.passive.awaitReceived();
      assertThat(one.qpNumber()).isEqualTo(shared.first.passive.qpNumber());
      assertThat(shared.memory.getLong(one.wrId() * 64)).isEqualTo(11);
      shared.send(shared.second, 22);
      Wc two = shared.second.passive.awaitReceived();
      assertThat(two.qpNumber()).isEqualTo(shared.second.passive.qpNumber());
      assertThat(shared.memory.getLong(two.wrId() * 64)).isEqualTo(22);
      assertThat(two.wrId()).isNotEqualTo(one.wrId());
    }
  }

  @Test
  void raisesItsLimitEventOnce() throws Exception {
    try (Shared shared = new Shared()) {
      VerbsContext device = VerbsContext.of(shared.context);
      while (device.nextAsyncEvent(0) != null) {
        // what earlier tests left on the device
      }
      for (int slot = 0; slot < 8; slot++) {
        shared.receive(slot);
      }
      shared.srq.armLimit(6);
      for (int i = 0; i < 2; i++) {
        shared.send(shared.first, i);
        shared.first.passive.awaitReceived();
      }
      harness.pass(Duration.ofMillis(10));
      assertThat(nextLimitEvent(device)).as("6 are left, which is not fewer").isNull();
      for (int i = 2; i < 5; i++) {
        shared.send(shared.first, i);
        shared.first.passive.awaitReceived();
      }
      harness.await(
          "the limit event",
          () -> {
            AsyncEvent limit = nextLimitEvent(device);
            return limit != null && limit.srq() == shared.srq;
          });
      harness.pass(Duration.ofMillis(10));
      assertThat(nextLimitEvent(device)).as("once until armed again").isNull();
    }
  }

  private static @Nullable AsyncEvent nextLimitEvent(VerbsContext device) throws Exception {
    AsyncEvent event = device.nextAsyncEvent(0);
    while (event != null && event.type() != AsyncEvent.Type.SRQ_LIMIT_REACHED) {
      event = device.nextAsyncEvent(0);
    }
    return event;
  }

  /** But for one that the queue pair may have taken in advance: that is flushed. */
  @Test
  void keepsItsReceivesWhenAQueuePairFails() throws Exception {
    try (Shared shared = new Shared()) {
      shared.receive(3);
      shared.receive(4);
      shared.first.passive.verbs().modify(QpChange.toError());
      harness.pass(Duration.ofMillis(10));
      int next = 3;
      if (shared.first.passive.hasReceived()) {
        Wc flushed = shared.first.passive.awaitReceived();
        assertThat(flushed.wrId()).isEqualTo(next++);
        assertThat(flushed.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
      }
      shared.send(shared.second, 5);
      Wc received = shared.second.passive.awaitReceived();
      assertThat(received.wrId()).isEqualTo(next);
      assertThat(received.status()).isEqualTo(WcStatus.SUCCESS);
    }
  }

  @Test
  void saysWhenItIsFull() throws Exception {
    try (Shared shared = new Shared()) {
      int posted = 0;
      // Devices round up: rdma_rxe takes more than it says.
      int limit = 4 * shared.srq.maxRequests();
      while (posted < limit
          && shared.first.passive.receiveShared(shared.srq, posted, shared.memory, 0, 8) == 1) {
        posted++;
      }
      assertThat(shared.srq.maxRequests()).isGreaterThanOrEqualTo(16);
      assertThat(posted).isGreaterThanOrEqualTo(shared.srq.maxRequests()).isLessThan(limit);
    }
  }

  @Test
  void cannotBeDestroyedWhileAQueuePairUsesIt() throws Exception {
    try (Shared shared = new Shared()) {
      assertFails(shared.srq::destroy, Errno.EBUSY);
      shared.receive(0);
    }
  }

  @Test
  void leavesNoReceivesOfItsOwnToItsQueuePairs() throws Exception {
    try (Shared shared = new Shared()) {
      assertFails(() -> shared.first.passive.receive(1, shared.memory), Errno.EINVAL);
    }
  }
}
