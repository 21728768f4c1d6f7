package io.verbena.verbs.fabric;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_ERROR;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DEVICE_REMOVAL;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_REJECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.testkit.Buffer;
import io.verbena.verbs.testkit.Events;
import io.verbena.verbs.testkit.Pair;
import io.verbena.verbs.testkit.Setup;
import io.verbena.verbs.testkit.Side;
import io.verbena.verbs.testkit.Wc;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of hosts and links at a test's request, as programs see them. */
@ParameterizedClass(name = "seed {0}")
@ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
class FabricFaultsTest {
  @Parameter long seed;
  private FabricHarness harness;

  @BeforeEach
  void open() {
    harness = new FabricHarness(seed);
  }

  private static void send(Side from) throws Exception {
    from.request(1, SendOpcode.SEND, SendFlags.SIGNALED, from.buffer(8));
    from.post();
  }

  private void cut() {
    harness.fabric.cut(harness.active, harness.passive);
  }

  private void heal() {
    harness.fabric.heal(harness.active, harness.passive);
  }

  @Test
  void aShortCutOnlyDelaysAndDeliversOnce() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(1, pair.passive.buffer(8));
      pair.passive.receive(2, pair.passive.buffer(8));
      cut();
      send(pair.active);
      harness.pass(Duration.ofMillis(150));
      assertThat(pair.active.hasSent()).isFalse();
      assertThat(pair.passive.hasReceived()).isFalse();
      heal();
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.SUCCESS);
      assertThat(pair.passive.awaitReceived().wrId()).isEqualTo(1);
      harness.pass(Duration.ofSeconds(1));
      assertThat(pair.passive.hasReceived()).isFalse();
    }
  }

  @Test
  void aLongCutFailsTheSenderAndTheReceiverHearsNothing() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(1, pair.passive.buffer(8));
      cut();
      send(pair.active);
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
      assertThat(pair.active.verbs().query().state()).isEqualTo(QpState.ERR);
      assertThat(pair.passive.verbs().query().state()).isEqualTo(QpState.RTS);
      assertThat(pair.passive.hasReceived()).isFalse();
      heal();
    }
  }

  @Test
  void aCutAfterDeliveryLeavesTheSenderInDoubt() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(1, pair.passive.buffer(8));
      send(pair.active);
      harness.await("the receive", pair.passive::hasReceived);
      cut();
      assertThat(pair.passive.awaitReceived().status()).isEqualTo(WcStatus.SUCCESS);
      assertThat(pair.active.awaitSent().status()).isIn(WcStatus.SUCCESS, WcStatus.RETRY_EXC_ERR);
      heal();
    }
  }

  @Test
  void connectingOverACutIsUnreachableInTheEnd() throws Exception {
    Events listening = new Events(harness, harness.passive);
    RdmaCmId listener = Pair.listen(listening, harness.address());
    Events events = new Events(harness, harness.active);
    RdmaCmId id = Pair.resolve(events, (InetSocketAddress) listener.getSource());
    Side side = Side.create(harness, id, new Setup());
    cut();
    id.connect(new ConnectionParameters());
    assertThat(events.await(RDMA_CM_EVENT_UNREACHABLE).status()).isEqualTo(-Errno.ETIMEDOUT);
    RdmaCmId second = events.newId();
    second.resolveAddr(null, listener.getSource(), 100);
    assertThat(events.await(RDMA_CM_EVENT_ADDR_ERROR).status()).isEqualTo(-Errno.ETIMEDOUT);
    side.close();
    id.destroyId();
    second.destroyId();
    listener.destroyId();
    events.close();
    listening.close();
  }

  @Test
  void aHostThatRefusesConnectionsRejectsThemUntilItTakesThemAgain() throws Exception {
    harness.passive.refuseConnections(true);
    Events listening = new Events(harness, harness.passive);
    RdmaCmId listener = Pair.listen(listening, harness.address());
    Events events = new Events(harness, harness.active);
    RdmaCmId id = Pair.resolve(events, (InetSocketAddress) listener.getSource());
    Side side = Side.create(harness, id, new Setup());
    id.connect(new ConnectionParameters());
    events.await(RDMA_CM_EVENT_REJECTED);
    side.close();
    id.destroyId();
    listener.destroyId();
    events.close();
    listening.close();
    harness.passive.refuseConnections(false);
    Pair.connect(harness).close();
  }

  @Test
  void aHostThatIgnoresConnectionsIsAskedAgain() throws Exception {
    harness.passive.ignoreConnections(true);
    Events listening = new Events(harness, harness.passive);
    RdmaCmId listener = Pair.listen(listening, harness.address());
    Events events = new Events(harness, harness.active);
    RdmaCmId id = Pair.resolve(events, (InetSocketAddress) listener.getSource());
    Side side = Side.create(harness, id, new Setup());
    id.connect(new ConnectionParameters());
    harness.pass(Duration.ofSeconds(10));
    assertThat(listening.channel.getCmEvent(0)).isNull();
    harness.passive.ignoreConnections(false);
    listening.await(RDMA_CM_EVENT_CONNECT_REQUEST).id().destroyId();
    events.await(RDMA_CM_EVENT_REJECTED);
    side.close();
    id.destroyId();
    listener.destroyId();
    events.close();
    listening.close();
  }

  @Test
  void aRequestThatFailsEndsItsQueuePair() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(1, pair.passive.buffer(8));
      harness.active.failRequests(1);
      send(pair.active);
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.GENERAL_ERR);
      send(pair.active);
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
      assertThat(pair.passive.hasReceived()).isFalse();
    }
  }

  @Test
  void aHostThatRefusesMemoryRegistersNone() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      harness.active.refuseMemory(true);
      assertThatThrownBy(() -> pair.active.buffer(8)).hasMessageContaining("ENOMEM");
      harness.active.refuseMemory(false);
      assertThat(pair.active.buffer(8)).isNotNull();
    }
  }

  @Test
  void aRequestThatNobodyTookIsRejectedWhenItsListenerGoes() throws Exception {
    Events listening = new Events(harness, harness.passive);
    RdmaCmId listener = Pair.listen(listening, harness.address());
    Events events = new Events(harness, harness.active);
    RdmaCmId id = Pair.resolve(events, (InetSocketAddress) listener.getSource());
    Side side = Side.create(harness, id, new Setup());
    id.connect(new ConnectionParameters());
    harness.pass(Duration.ofMillis(50));
    listener.destroyId();
    events.await(RDMA_CM_EVENT_REJECTED);
    listening.close();
    side.close();
    id.destroyId();
    events.close();
  }

  @Test
  void aRequestBeyondTheBacklogComesWhenThereIsRoom() throws Exception {
    Events listening = new Events(harness, harness.passive);
    RdmaCmId listener = listening.newId();
    listener.bindAddr(new InetSocketAddress(harness.address(), 0));
    listener.listen(1);
    Events events = new Events(harness, harness.active);
    RdmaCmId[] ids = new RdmaCmId[2];
    Side[] sides = new Side[2];
    for (int i = 0; i < 2; i++) {
      ids[i] = Pair.resolve(events, (InetSocketAddress) listener.getSource());
      sides[i] = Side.create(harness, ids[i], new Setup());
      ids[i].connect(new ConnectionParameters());
    }
    RdmaCmId first = listening.await(RDMA_CM_EVENT_CONNECT_REQUEST).id();
    harness.pass(Duration.ofSeconds(10));
    assertThat(listening.channel.getCmEvent(0)).isNull();
    first.destroyId();
    listening.await(RDMA_CM_EVENT_CONNECT_REQUEST).id().destroyId();
    for (int i = 0; i < 2; i++) {
      events.await(RDMA_CM_EVENT_REJECTED);
      sides[i].close();
      ids[i].destroyId();
    }
    listener.destroyId();
    events.close();
    listening.close();
  }

  @Test
  void aKilledProcessDisconnectsItsPeers() throws Exception {
    Pair pair = Pair.connect(harness);
    harness.passive.killProcess();
    pair.activeEvents.await(RDMA_CM_EVENT_DISCONNECTED);
    assertThatThrownBy(() -> harness.passive.createEventChannel()).hasMessageContaining("killed");
    assertThat(harness.passive.problem()).isPresent();
    assertThatThrownBy(() -> pair.passive.verbs().query()).hasMessageContaining("closed");
    send(pair.active);
    assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    pair.active.close();
    pair.active.id.destroyId();
    pair.activeEvents.close();
  }

  @Test
  void aHostWithoutPowerIsSilent() throws Exception {
    Pair pair = Pair.connect(harness);
    harness.passive.powerOff();
    harness.pass(Duration.ofSeconds(10));
    assertThat(pair.activeEvents.channel.getCmEvent(0)).isNull();
    send(pair.active);
    assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    pair.active.close();
    pair.active.id.destroyId();
    pair.activeEvents.close();
  }

  /** By an event, or by the receive that a WRITE with immediate would have taken. */
  @Test
  void aRefusedWriteIsToldWhereItWasRefused() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.openBuffer(64);
      pair.active
          .request(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, pair.active.buffer(64))
          .remote(0, to.address() + 1, to.rkey());
      pair.active.post();
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
      assertAccessErrorTold(pair.passive);
    }
    try (Pair pair = Pair.connect(harness)) {
      Buffer to = pair.passive.openBuffer(64);
      pair.passive.receiveNothing(5);
      pair.active
          .request(1, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED, pair.active.buffer(64))
          .remote(0, to.address(), to.rkey() ^ 0x5a00);
      pair.active.post();
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
      Wc received = pair.passive.awaitReceived();
      assertThat(received.wrId()).isEqualTo(5);
      if (harness.fabric.temper.refusalTakesReceive()) {
        assertThat(received.status()).isEqualTo(WcStatus.LOC_ACCESS_ERR);
        assertThat(VerbsContext.of(pair.passive.qp.getContext()).nextAsyncEvent(0)).isNull();
      } else {
        assertThat(received.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertAccessErrorTold(pair.passive);
      }
    }
  }

  private static void assertAccessErrorTold(Side side) throws Exception {
    VerbsContext device = VerbsContext.of(side.qp.getContext());
    assertThat(device.nextAsyncEvent(0))
        .isEqualTo(new AsyncEvent(AsyncEvent.Type.QP_ACCESS_ERR, side.qp, null, null, 0));
    assertThat(device.nextAsyncEvent(0)).isNull();
  }

  @Test
  void aRemovedDeviceTellsAndLetsItsObjectsBeDestroyed() throws Exception {
    Pair pair = Pair.connect(harness);
    VerbsContext device = VerbsContext.of(pair.passive.qp.getContext());
    harness.passive.removeDevice();
    pair.passiveEvents.await(RDMA_CM_EVENT_DEVICE_REMOVAL);
    assertThat(device.nextAsyncEvent(0))
        .isEqualTo(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, null, null, null, 0));
    assertThat(harness.passive.problem()).isPresent();
    assertThat(harness.passive.devices()).isEmpty();
    assertThatThrownBy(() -> send(pair.passive)).hasMessageContaining("removed");
    send(pair.active);
    assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    pair.close();

    harness.passive.restoreDevice();
    try (Pair again = Pair.connect(harness)) {
      assertThat(again.passive.qp.getContext()).isNotSameAs(device);
    }
  }

  /** A listener stands on one device: a new one with the same address wants another. */
  @Test
  void theAdaptersOfAHostAreRemovedEachByItself() throws Exception {
    FabricAdapter second = harness.passive.addAdapter(FabricHarness.address("10.9.1.2"));
    Events listening = new Events(harness, harness.passive);
    RdmaCmId there = Pair.listen(listening, FabricHarness.address("10.9.1.2"));
    try (Pair pair = Pair.connect(harness)) {
      assertThat(harness.passive.devices())
          .containsExactly(pair.passive.qp.getContext(), there.getVerbs());
      second.unplug();
      listening.await(RDMA_CM_EVENT_DEVICE_REMOVAL);
      assertThat(harness.passive.devices()).containsExactly(pair.passive.qp.getContext());
      assertThat(pair.passiveEvents.channel.getCmEvent(0)).isNull();
      second.plugIn();
      pair.passive.receive(1, pair.passive.buffer(8));
      send(pair.active);
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.SUCCESS);
    }
    Events events = new Events(harness, harness.active);
    RdmaCmId id = Pair.resolve(events, (InetSocketAddress) there.getSource());
    Side side = Side.create(harness, id, new Setup());
    id.connect(new ConnectionParameters());
    events.await(RDMA_CM_EVENT_REJECTED);
    side.close();
    id.destroyId();
    there.destroyId();
    events.close();
    listening.close();
  }

  @Test
  void aDelayIsTheLeastThatAMessageTakes() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      harness.fabric.delay(harness.active, harness.passive, 3_000_000);
      Buffer to = pair.passive.buffer(8);
      pair.passive.receive(1, to);
      long before = harness.fabric.nanoTime();
      // A request carried out within the post knows no delay.
      if (!harness.fabric.temper.synchronous()) {
        send(pair.active);
        pair.passive.awaitReceived();
        assertThat(harness.fabric.nanoTime() - before).isGreaterThanOrEqualTo(3_000_000);
      }
    }
  }
}
