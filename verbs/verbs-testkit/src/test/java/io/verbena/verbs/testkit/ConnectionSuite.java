package io.verbena.verbs.testkit;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_ERROR;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_REJECTED;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpAttributes;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsCmId;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Connecting, refusing, failing to reach and disconnecting. */
public abstract class ConnectionSuite extends VerbsSuite {
  /** Both channels and a listener, from which a test goes its own way. */
  private final class Ends implements AutoCloseable {
    final Events activeEvents = new Events(harness, harness.active());
    final Events passiveEvents = new Events(harness, harness.passive());
    final RdmaCmId listener = Pair.listen(passiveEvents, harness.address());
    final RdmaCmId id = Pair.resolve(activeEvents, (InetSocketAddress) listener.getSource());
    final Side side = Side.create(harness, id, new Setup());

    Ends() throws Exception {}

    @Override
    public void close() throws IOException {
      side.close();
      id.destroyId();
      listener.destroyId();
      activeEvents.close();
      passiveEvents.close();
    }
  }

  /** Data as the peer sees it. */
  private static ByteBuffer padded(int length, int to) {
    return ByteBuffer.allocate(to).put(data(length)).rewind();
  }

  private static ByteBuffer data(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void carriesPrivateDataBothWaysPaddedWithZeros() throws Exception {
    try (Ends ends = new Ends()) {
      ends.id.connect(new Setup().parameters().privateData(data(10)));
      CmEvent request = ends.passiveEvents.await(RDMA_CM_EVENT_CONNECT_REQUEST);
      assertThat(request.privateData())
          .isEqualTo(padded(10, ConnectionParameters.MAX_CONNECT_DATA));
      Side passive = Side.create(harness, request.id(), new Setup());
      request.id().accept(new Setup().parameters().privateData(data(190)));
      assertThat(ends.activeEvents.await(RDMA_CM_EVENT_ESTABLISHED).privateData())
          .isEqualTo(padded(190, ConnectionParameters.MAX_ACCEPT_DATA));
      passive.close();
      request.id().destroyId();
    }
  }

  @Test
  void refusesPrivateDataBeyondTheLimit() throws Exception {
    try (Ends ends = new Ends()) {
      ConnectionParameters tooMuch = new Setup().parameters().privateData(data(57));
      assertFails(() -> ends.id.connect(tooMuch), Errno.EINVAL);
    }
  }

  @Test
  void tellsThePassiveSideHowManyReadsTheActiveSideWants() throws Exception {
    try (Ends ends = new Ends()) {
      ConnectionParameters parameters = new Setup().parameters();
      parameters.setInitiator_depth((byte) 3);
      parameters.setResponder_resources((byte) 2);
      ends.id.connect(parameters);
      CmEvent request = ends.passiveEvents.await(RDMA_CM_EVENT_CONNECT_REQUEST);
      assertThat(request.responderResources()).isEqualTo(3);
      assertThat(request.initiatorDepth()).isEqualTo(2);
      VerbsCmId.of(request.id()).reject(ByteBuffer.allocate(0));
      request.id().destroyId();
    }
  }

  @Test
  void takesTheLimitsOfBothDevicesForTheGreatestDepth() throws Exception {
    try (Ends ends = new Ends()) {
      ConnectionParameters parameters = new Setup().parameters();
      parameters.setInitiator_depth(ConnectionParameters.GREATEST_DEPTH);
      parameters.setResponder_resources(ConnectionParameters.GREATEST_DEPTH);
      ends.id.connect(parameters);
      CmEvent request = ends.passiveEvents.await(RDMA_CM_EVENT_CONNECT_REQUEST);
      DeviceAttributes limits = VerbsContext.of(ends.side.qp.getContext()).queryDevice();
      assertThat(request.responderResources()).isEqualTo(limits.maxInitiatorReadAtomic());
      assertThat(request.initiatorDepth()).isEqualTo(limits.maxReadAtomic());
      VerbsCmId.of(request.id()).reject(ByteBuffer.allocate(0));
      request.id().destroyId();
    }
  }

  /** The acceptance decides for both ends, whatever the request has proposed. */
  @Test
  void takesTheDepthsOfReadsFromTheAcceptance() throws Exception {
    try (Pair pair = Pair.connect(harness, new Setup().reads(4, 2), new Setup().reads(16, 8))) {
      assumeNoIwarp(pair);
      QpAttributes active = pair.active.verbs().query();
      QpAttributes passive = pair.passive.verbs().query();
      assertThat(active.maxReadAtomic()).isEqualTo(16);
      assertThat(active.maxDestinationReadAtomic()).isEqualTo(8);
      assertThat(passive.maxReadAtomic()).isEqualTo(8);
      assertThat(passive.maxDestinationReadAtomic()).isEqualTo(16);
    }
  }

  /**
   * Each side's RNR retries are those of its peer's queue pair; an acceptance's retries are
   * nobody's.
   */
  @Test
  void takesRetriesFromTheRequestAndRnrRetriesFromThePeer() throws Exception {
    Setup active = new Setup().retries(5).rnrRetries(3);
    Setup passive = new Setup().retries(2).rnrRetries(6);
    try (Pair pair = Pair.connect(harness, active, passive)) {
      assumeNoIwarp(pair);
      assertThat(pair.active.verbs().query().retries()).isEqualTo(5);
      assertThat(pair.passive.verbs().query().retries()).isEqualTo(5);
      assertThat(pair.active.verbs().query().rnrRetries()).isEqualTo(6);
      assertThat(pair.passive.verbs().query().rnrRetries()).isEqualTo(3);
    }
  }

  /** MPA negotiates other depths, and TCP repeats. */
  private static void assumeNoIwarp(Pair pair) throws Exception {
    DeviceAttributes device = VerbsContext.of(pair.active.qp.getContext()).queryDevice();
    Assumptions.assumeTrue(device.transport() != DeviceAttributes.Transport.IWARP);
  }

  @Test
  void rejectsWithPrivateData() throws Exception {
    try (Ends ends = new Ends()) {
      ends.id.connect(new Setup().parameters());
      RdmaCmId refused = ends.passiveEvents.await(RDMA_CM_EVENT_CONNECT_REQUEST).id();
      VerbsCmId.of(refused).reject(data(20));
      CmEvent rejected = ends.activeEvents.await(RDMA_CM_EVENT_REJECTED);
      assertThat(rejected.status()).as("consumer defined").isEqualTo(28);
      assertThat(rejected.privateData())
          .isEqualTo(padded(20, ConnectionParameters.MAX_REJECT_DATA));
      refused.destroyId();
    }
  }

  @Test
  void reportsAPortWhereNobodyListensAsRejected() throws Exception {
    try (Ends ends = new Ends()) {
      InetSocketAddress port = (InetSocketAddress) ends.listener.getSource();
      RdmaCmId id =
          Pair.resolve(
              ends.activeEvents, new InetSocketAddress(port.getAddress(), port.getPort() ^ 1));
      Side side = Side.create(harness, id, new Setup());
      id.connect(new Setup().parameters());
      assertThat(ends.activeEvents.await(RDMA_CM_EVENT_REJECTED).status())
          .as("no such service")
          .isEqualTo(8);
      side.close();
      id.destroyId();
    }
  }

  @Test
  void reportsAnAddressThatNobodyHas() throws Exception {
    Events events = new Events(harness, harness.active());
    RdmaCmId id = events.newId();
    id.resolveAddr(null, new InetSocketAddress(harness.silentAddress(), 4711), 200);
    CmEvent event = events.await(RDMA_CM_EVENT_ADDR_ERROR);
    assertThat(event.status()).isIn(-Errno.ETIMEDOUT, -Errno.EHOSTUNREACH, -Errno.ENETUNREACH);
    id.destroyId();
    events.close();
  }

  @Test
  void refusesTheLoopbackAddressWhichIsNoDevices() throws Exception {
    Assumptions.assumeFalse(
        harness.isReal(), "a kernel may lead the loopback address to a device of this host");
    Events events = new Events(harness, harness.active());
    RdmaCmId id = events.newId();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 4711);
    try {
      id.resolveAddr(null, loopback, 200);
      assertThat(events.next("an error").type()).isEqualTo(RDMA_CM_EVENT_ADDR_ERROR);
    } catch (VerbsException e) {
      assertThat(e.errno()).isEqualTo(Errno.ENODEV);
    }
    id.destroyId();
    events.close();
  }

  @Test
  void waitsForAnEventOnlyAsLongAsTold() throws Exception {
    Events events = new Events(harness, harness.active());
    assertThat(events.channel.getCmEvent(0)).isNull();
    assertThat(events.channel.getCmEvent(20)).isNull();
    events.close();
  }

  @Test
  void givesAPortToOneListenerOnly() throws Exception {
    Events events = new Events(harness, harness.passive());
    RdmaCmId first = Pair.listen(events, harness.address());
    InetSocketAddress port = (InetSocketAddress) first.getSource();
    assertThat(port.getPort()).isPositive();
    assertThat(port.getAddress()).isEqualTo(harness.address());
    RdmaCmId second = events.newId();
    assertFails(() -> second.bindAddr(port), Errno.EADDRINUSE);
    second.destroyId();
    first.destroyId();
    events.close();
  }

  @Test
  void connectsOverIpv6() throws Exception {
    Assumptions.assumeTrue(harness.ipv6Address().isPresent(), "no IPv6 address of global scope");
    InetAddress address = harness.ipv6Address().orElseThrow();
    try (Pair pair = Pair.connect(harness, address, new Setup(), new Setup(), null)) {
      Buffer from = pair.active.buffer(64).fill(6);
      Buffer to = pair.passive.buffer(64, Access.LOCAL_WRITE);
      pair.passive.receive(1, to);
      pair.active.request(2, SendOpcode.SEND, SendFlags.SIGNALED, from);
      pair.active.post();
      pair.passive.awaitReceived();
      assertThat(to.bytes()).isEqualTo(from.bytes());
      InetSocketAddress destination = (InetSocketAddress) pair.active.id.getDestination();
      assertThat(destination.getAddress()).isEqualTo(address);
    }
  }

  @Test
  void tellsBothSidesOfADisconnect() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.active.id.disconnect();
      pair.passiveEvents.await(RDMA_CM_EVENT_DISCONNECTED);
      pair.passive.id.disconnect();
      pair.activeEvents.await(RDMA_CM_EVENT_DISCONNECTED);
    }
  }

  /** As long as the peer's program lives and does not answer, nothing is known of its end. */
  @Test
  void tellsTheSideThatDisconnectsOnlyWhatThePeerAnswers() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      assumeNoIwarp(pair);
      pair.active.id.disconnect();
      pair.passiveEvents.await(RDMA_CM_EVENT_DISCONNECTED);
      harness.pass(Duration.ofMillis(300));
      assertThat(pair.activeEvents.hasNext()).isFalse();
      pair.passive.id.disconnect();
      pair.activeEvents.await(RDMA_CM_EVENT_DISCONNECTED);
    }
  }

  /** Destroying is an answer, too. */
  @Test
  void tellsTheSideThatDisconnectsThatThePeersIdIsDestroyed() throws Exception {
    try (Ends ends = new Ends()) {
      ends.id.connect(new Setup().parameters());
      RdmaCmId id = ends.passiveEvents.await(RDMA_CM_EVENT_CONNECT_REQUEST).id();
      Side passive = Side.create(harness, id, new Setup());
      id.accept(new Setup().parameters());
      ends.activeEvents.await(RDMA_CM_EVENT_ESTABLISHED);
      ends.passiveEvents.await(RDMA_CM_EVENT_ESTABLISHED);
      ends.id.disconnect();
      ends.passiveEvents.await(RDMA_CM_EVENT_DISCONNECTED);
      passive.close();
      id.destroyId();
      ends.activeEvents.await(RDMA_CM_EVENT_DISCONNECTED);
    }
  }

  @Test
  void tellsThePeerWhenAnIdIsDestroyed() throws Exception {
    try (Ends ends = new Ends()) {
      ends.id.connect(new Setup().parameters());
      RdmaCmId id = ends.passiveEvents.await(RDMA_CM_EVENT_CONNECT_REQUEST).id();
      Side passive = Side.create(harness, id, new Setup());
      id.accept(new Setup().parameters());
      ends.activeEvents.await(RDMA_CM_EVENT_ESTABLISHED);
      ends.passiveEvents.await(RDMA_CM_EVENT_ESTABLISHED);
      passive.close();
      id.destroyId();
      ends.activeEvents.await(RDMA_CM_EVENT_DISCONNECTED);
    }
  }

  @Test
  void setsTheAckTimeout() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      assertThat(pair.active.verbs().query().ackTimeout()).isEqualTo(new Setup().ackTimeout);
      assertThat(pair.passive.verbs().query().ackTimeout()).isEqualTo(new Setup().ackTimeout);
    }
  }
}
