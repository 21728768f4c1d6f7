package io.verbena.verbs.fabric;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_ERROR;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_REJECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ROUTE_RESOLVED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_TIMEWAIT_EXIT;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_UNREACHABLE;

import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.fabric.FabricCmId.State;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes between ids, message by message, with repeats. In a real system ib_cm and rdma_cm
 * do this in the kernel. Called under the fabric's lock.
 *
 * <pre>
 * active                                passive
 * connect      --- REQ ---------------&gt; CONNECT_REQUEST
 *              &lt;-- REP ---------------- accept (its queue pair is in RTS from here)
 * takes the ESTABLISHED event,
 * its queue pair is in RTS --- RTU ---&gt; ESTABLISHED
 *              &lt;-- REJ ---------------- reject, or no listener
 * disconnect   --- DREQ --------------&gt; DISCONNECTED
 * DISCONNECTED &lt;-- DREP --------------- disconnect, or its id is destroyed
 * </pre>
 *
 * <p>The end that disconnects is told nothing until the peer's program answers, or the request was
 * repeated in vain: so rdma_rxe (Linux 6.1, librdmacm 44). On iWARP its own kernel tells it.
 */
final class ConnectionManager {
  /** Reasons of a reject (InfiniBand specification, 12.6.7.2). */
  static final int TIMED_OUT = 4;

  static final int NO_SUCH_SERVICE = 8;
  static final int CONSUMER_DEFINED = 28;

  private static final long REPEAT_NANOS = 4_294_967_296L; // 4.096 us * 2^20, as rdma_cm
  private static final int REPEATS = 15;
  private static final long TIMEWAIT_NANOS = 5_000_000_000L;

  private final Fabric fabric;

  ConnectionManager(Fabric fabric) {
    this.fabric = fabric;
  }

  /** The delivery of a message. Returns whether it was accepted; else the message is sent again. */
  private interface Delivery {
    boolean arrive();
  }

  void resolveAddress(FabricCmId id, FabricContext device, InetSocketAddress to, int millis) {
    FabricHost target = fabric.hostAt(to.getAddress());
    boolean answers =
        target != null && fabric.link(id.host, target).carries() && id.reaches(to.getAddress());
    long wait = answers ? fabric.latency() : Math.max(1, millis) * 1_000_000L;
    fabric.after(
        wait,
        () -> {
          if (!id.isIn(State.RESOLVING)) {
            return;
          }
          if (answers && !device.isRemoved()) {
            id.resolved(device);
            id.raise(RDMA_CM_EVENT_ADDR_RESOLVED, 0);
          } else {
            id.state = State.IDLE;
            id.raise(RDMA_CM_EVENT_ADDR_ERROR, -Errno.ETIMEDOUT);
          }
        });
  }

  void resolveRoute(FabricCmId id) {
    fabric.after(
        fabric.latency(),
        () -> {
          if (id.isIn(State.RESOLVING)) {
            id.state = State.ROUTE_RESOLVED;
            id.raise(RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
          }
        });
  }

  void request(FabricCmId active) {
    InetSocketAddress to = active.remote();
    FabricHost target = to == null ? null : fabric.hostAt(to.getAddress());
    Runnable unreachable =
        () -> {
          if (active.isIn(State.CONNECTING)) {
            active.state = State.DISCONNECTED;
            active.raise(RDMA_CM_EVENT_UNREACHABLE, -Errno.ETIMEDOUT);
          }
        };
    if (to == null || target == null) {
      fabric.after(REPEATS * REPEAT_NANOS, unreachable);
      return;
    }
    send(active.host, target, () -> takeRequest(active, target, to), unreachable);
  }

  private boolean takeRequest(FabricCmId active, FabricHost target, InetSocketAddress to) {
    if (!active.isIn(State.CONNECTING)) {
      return true;
    }
    if (target.ignoresConnections) {
      return false;
    }
    FabricContext device = target.deviceAt(to.getAddress());
    FabricCmId listener = device == null ? null : target.listener(to.getPort());
    boolean refused = target.refusesConnections;
    if (refused || listener == null || !listener.listensOn(to, device)) {
      sendReject(target, active, NO_SUCH_SERVICE, ByteBuffer.allocate(0));
      return true;
    }
    if (listener.waiting >= listener.backlog) {
      return false; // dropped, and sent again later
    }
    try {
      FabricCmId passive = FabricCmId.requested(listener, active);
      active.peer = passive;
      listener.waiting++;
      ConnectionOffer offer = offerOf(active);
      passive.raise(
          RDMA_CM_EVENT_CONNECT_REQUEST,
          0,
          listener,
          offer.seenByPeer(ConnectionParameters.MAX_CONNECT_DATA),
          () -> {});
    } catch (IOException e) {
      throw new IllegalStateException("DiSNI's constructors fail only without a provider", e);
    }
    return true;
  }

  void accept(FabricCmId passive) {
    answered(passive);
    FabricCmId active = peerOf(passive);
    passive.state = State.ACCEPTED;
    connectQueuePair(passive, active, true);
    ConnectionOffer offer = offerOf(passive);
    send(
        passive.host,
        active.host,
        () -> {
          if (active.isIn(State.CONNECTING) && active.peer == passive) {
            active.raise(
                RDMA_CM_EVENT_ESTABLISHED,
                0,
                null,
                offer.seenByPeer(ConnectionParameters.MAX_ACCEPT_DATA),
                () -> established(active, passive));
          }
          return true;
        },
        () -> {
          if (passive.isIn(State.ACCEPTED)) {
            passive.state = State.DISCONNECTED;
            passive.raise(RDMA_CM_EVENT_UNREACHABLE, -Errno.ETIMEDOUT);
          }
        });
  }

  private void established(FabricCmId active, FabricCmId passive) {
    if (!active.isIn(State.CONNECTING)) {
      return;
    }
    active.state = State.CONNECTED;
    connectQueuePair(active, passive, false);
    send(
        active.host,
        passive.host,
        () -> {
          if (passive.isIn(State.ACCEPTED)) {
            passive.state = State.CONNECTED;
            passive.raise(RDMA_CM_EVENT_ESTABLISHED, 0);
          }
          return true;
        },
        () -> {});
  }

  private void connectQueuePair(FabricCmId own, FabricCmId other, boolean passive) {
    FabricQp qp = own.queuePair();
    FabricQp peer = other.queuePair();
    if (qp == null || peer == null) {
      return; // the queue pair was destroyed, so requests get no answer
    }
    ConnectionOffer mine = offerOf(own);
    ConnectionOffer theirs = offerOf(other);
    ConnectionOffer accepted = passive ? mine : theirs;
    int ofPassive = accepted.initiatorDepth();
    int ofActive = accepted.responderResources();
    // The peer chooses the RNR retries. The active side chooses the timeout retries of both, and
    // the passive one the depths of READs of both.
    qp.connect(
        peer,
        new ConnectionTerms(
            fabric.link(own.host, other.host),
            own.host.profile.has(DeviceBehaviour.IGNORES_ACK_TIMEOUT)
                ? ConnectionTerms.DEFAULT_ACK_TIMEOUT
                : own.ackTimeout(),
            passive ? theirs.retries() : mine.retries(),
            theirs.rnrRetries(),
            passive ? ofPassive : ofActive,
            passive ? ofActive : ofPassive),
        passive);
  }

  void reject(FabricCmId passive, ByteBuffer data) {
    answered(passive);
    passive.state = State.DISCONNECTED;
    sendReject(passive.host, peerOf(passive), CONSUMER_DEFINED, data);
  }

  /** An iWARP device reports an errno as status and reason, and does not pad the data. */
  private void sendReject(FabricHost from, FabricCmId active, int reason, ByteBuffer data) {
    boolean iwarp = from.profile.isIwarp();
    int errno = reason == CONSUMER_DEFINED ? Errno.ECONNRESET : Errno.ECONNREFUSED;
    int length = iwarp ? data.remaining() : ConnectionParameters.MAX_REJECT_DATA;
    send(
        from,
        active.host,
        () -> {
          if (active.isIn(State.CONNECTING)) {
            active.state = State.DISCONNECTED;
            ConnectionParameters carried = new ConnectionParameters();
            carried.privateData(ConnectionOffer.padded(data, length));
            active.raise(RDMA_CM_EVENT_REJECTED, iwarp ? -errno : reason, null, carried, () -> {});
          }
          return true;
        },
        () -> {});
  }

  void disconnect(FabricCmId id) {
    FabricCmId peer = id.peer;
    boolean answer = id.state == State.DISCONNECTED;
    id.state = State.DISCONNECTED;
    if (peer == null) {
      return;
    }
    if (answer) {
      answerDisconnect(id, peer);
      return;
    }
    boolean byKernel = id.host.profile.isIwarp();
    send(
        id.host,
        peer.host,
        () -> {
          disconnected(peer);
          boolean told = byKernel || !peer.isOpen();
          if (told) {
            fabric.after(fabric.latency(), () -> disconnected(id));
          }
          return told || id.disconnectSeen || peer.hasAnswered;
        },
        () -> disconnected(id));
  }

  /** The peer began, and is told that this end's program knows. */
  private void answerDisconnect(FabricCmId id, FabricCmId peer) {
    if (id.disconnectSeen && !id.hasAnswered) {
      id.hasAnswered = true;
      send(
          id.host,
          peer.host,
          () -> {
            disconnected(peer);
            return true;
          },
          () -> {});
    }
  }

  private void disconnected(FabricCmId id) {
    if (id.isOpen() && !id.disconnectSeen) {
      id.disconnectSeen = true;
      id.state = State.DISCONNECTED;
      id.raise(RDMA_CM_EVENT_DISCONNECTED, 0);
      fabric.after(TIMEWAIT_NANOS, () -> id.raise(RDMA_CM_EVENT_TIMEWAIT_EXIT, 0));
    }
  }

  /** Sends the message that a peer gets when an id is destroyed, which depends on the state. */
  void abandoned(FabricCmId id) {
    FabricCmId peer = id.peer;
    if (peer == null) {
      return;
    }
    switch (id.state) {
      case REQUESTED -> reject(id, ByteBuffer.allocate(0));
      case CONNECTING -> cancelRequest(id, peer);
      case ACCEPTED, CONNECTED ->
          send(
              id.host,
              peer.host,
              () -> {
                disconnected(peer);
                return true;
              },
              () -> {});
      case DISCONNECTED -> answerDisconnect(id, peer);
      default -> {}
    }
  }

  private void cancelRequest(FabricCmId active, FabricCmId passive) {
    send(
        active.host,
        passive.host,
        () -> {
          if (passive.isIn(State.REQUESTED) || passive.isIn(State.ACCEPTED)) {
            answered(passive);
            passive.state = State.DISCONNECTED;
            passive.raise(RDMA_CM_EVENT_REJECTED, TIMED_OUT);
          }
          return true;
        },
        () -> {});
  }

  private static void answered(FabricCmId passive) {
    FabricCmId listener = passive.listener;
    if (listener != null && passive.state == State.REQUESTED) {
      listener.waiting--;
    }
  }

  private static ConnectionOffer offerOf(FabricCmId id) {
    return present(id.offer);
  }

  private static FabricCmId peerOf(FabricCmId id) {
    return present(id.peer);
  }

  private static <T> T present(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("an id in this state has offered and has a peer");
    }
    return value;
  }

  /** Sends a message until it is accepted, at most with the repeats of rdma_cm. */
  private void send(FabricHost from, FabricHost to, Delivery message, Runnable givenUp) {
    FabricLink link = fabric.link(from, to);
    attempt(fabric.latency() + link.delayNanos, 0, link, message, givenUp);
  }

  private void attempt(
      long delay, int repeated, FabricLink link, Delivery message, Runnable givenUp) {
    fabric.after(
        delay,
        () -> {
          if (link.carries() && message.arrive()) {
            return;
          }
          if (repeated == REPEATS) {
            givenUp.run();
          } else {
            attempt(REPEAT_NANOS, repeated + 1, link, message, givenUp);
          }
        });
  }
}
