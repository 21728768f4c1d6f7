package io.verbena.verbs.testkit;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ROUTE_RESOLVED;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.VerbsCmId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Two connected sides. Closing destroys everything, first the active side. */
public final class Pair implements AutoCloseable {
  public final Side active;
  public final Side passive;
  public final Events activeEvents;
  public final Events passiveEvents;
  private final RdmaCmId listener;

  private Pair(
      Side active, Side passive, Events activeEvents, Events passiveEvents, RdmaCmId listener) {
    this.active = active;
    this.passive = passive;
    this.activeEvents = activeEvents;
    this.passiveEvents = passiveEvents;
    this.listener = listener;
  }

  public static Pair connect(VerbsHarness harness) throws Exception {
    return connect(harness, new Setup(), new Setup());
  }

  public static Pair connect(VerbsHarness harness, Setup active, Setup passive) throws Exception {
    return connect(harness, harness.address(), active, passive, null);
  }

  /**
   * Connects.
   *
   * @param passivePd the PD for the passive side, or null for one of its own
   */
  public static Pair connect(
      VerbsHarness harness,
      InetAddress address,
      Setup active,
      Setup passive,
      @Nullable IbvPd passivePd)
      throws Exception {
    Events passiveEvents = new Events(harness, harness.passive());
    RdmaCmId listener = listen(passiveEvents, address);
    Events activeEvents = new Events(harness, harness.active());
    RdmaCmId activeId = resolve(activeEvents, (InetSocketAddress) listener.getSource());
    VerbsCmId.of(activeId).setAckTimeout(active.ackTimeout);
    Side activeSide = Side.create(harness, activeId, active);
    activeId.connect(active.parameters());

    RdmaCmId passiveId = passiveEvents.await(RDMA_CM_EVENT_CONNECT_REQUEST).id();
    VerbsCmId.of(passiveId).setAckTimeout(passive.ackTimeout);
    Side passiveSide =
        passivePd == null
            ? Side.create(harness, passiveId, passive)
            : Side.create(harness, passiveId, passivePd, passive);
    passiveId.accept(passive.parameters());
    activeEvents.await(RDMA_CM_EVENT_ESTABLISHED);
    passiveEvents.await(RDMA_CM_EVENT_ESTABLISHED);
    return new Pair(activeSide, passiveSide, activeEvents, passiveEvents, listener);
  }

  /** A listener on a free port. */
  public static RdmaCmId listen(Events events, InetAddress address) throws Exception {
    RdmaCmId listener = events.newId();
    listener.bindAddr(new InetSocketAddress(address, 0));
    listener.listen(16);
    return listener;
  }

  /** An id ready for a queue pair and a connect. */
  public static RdmaCmId resolve(Events events, InetSocketAddress to) throws Exception {
    RdmaCmId id = events.newId();
    id.resolveAddr(null, to, 2_000);
    events.await(RDMA_CM_EVENT_ADDR_RESOLVED);
    id.resolveRoute(2_000);
    events.await(RDMA_CM_EVENT_ROUTE_RESOLVED);
    return id;
  }

  @Override
  public void close() throws IOException {
    active.close();
    active.id.destroyId();
    passive.close();
    passive.id.destroyId();
    listener.destroyId();
    activeEvents.close();
    passiveEvents.close();
  }
}
