package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsCmId;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection, a listener, or an id that becomes one. {@link ConnectionManager} has the
 * handshakes.
 *
 * <p>The class is long, because it has all calls of DiSNI's connection identifiers.
 */
final class FabricCmId extends RdmaCmId implements VerbsCmId {
  /**
   * The state of an id.
   *
   * <pre>
   * active   IDLE -&gt; RESOLVING -&gt; ADDRESS_RESOLVED -&gt; RESOLVING -&gt; ROUTE_RESOLVED -&gt; CONNECTING
   *               -&gt; CONNECTED -&gt; DISCONNECTED
   * passive  REQUESTED -&gt; ACCEPTED -&gt; CONNECTED -&gt; DISCONNECTED
   * listener IDLE -&gt; BOUND -&gt; LISTENING
   * </pre>
   */
  enum State {
    IDLE,
    BOUND,
    LISTENING,
    RESOLVING,
    ADDRESS_RESOLVED,
    ROUTE_RESOLVED,
    CONNECTING,
    REQUESTED,
    ACCEPTED,
    CONNECTED,
    DISCONNECTED
  }

  final FabricHost host;
  private final FabricEventChannel channel;
  private @Nullable FabricQp qp;
  private @Nullable InetSocketAddress local;
  private @Nullable InetSocketAddress remote;
  private int ackTimeout = ConnectionTerms.DEFAULT_ACK_TIMEOUT;
  private int trafficClass;
  State state = State.IDLE;
  @Nullable FabricCmId peer;
  int backlog;

  /** The number of connection requests that wait for this listener's answer. */
  int waiting;

  @Nullable FabricCmId listener;
  @Nullable ConnectionOffer offer;
  boolean disconnectSeen;

  /** The peer has begun to disconnect, and this end's program has answered. */
  boolean hasAnswered;

  FabricCmId(FabricHost host, FabricEventChannel channel) throws IOException {
    super(channel, null);
    this.host = host;
    this.channel = channel;
    channel.addUser();
    host.opened(this);
  }

  /** Makes the id of a connection request. */
  static FabricCmId requested(FabricCmId listener, FabricCmId active) throws IOException {
    FabricCmId id = new FabricCmId(listener.host, listener.channel);
    InetSocketAddress to = active.remote;
    id.verbs = to == null ? null : listener.host.deviceAt(to.getAddress());
    id.state = State.REQUESTED;
    id.peer = active;
    id.listener = listener;
    id.local = active.remote;
    id.remote = active.local;
    id.trafficClass = active.trafficClass;
    return id;
  }

  @Override
  public void bindAddr(SocketAddress address) throws IOException {
    synchronized (fabric().lock) {
      use("rdma_bind_addr");
      require("rdma_bind_addr", State.IDLE);
      InetSocketAddress wanted = (InetSocketAddress) address;
      boolean wildcard = wanted.getAddress().isAnyLocalAddress();
      if (!wildcard) {
        if (!host.addresses().contains(wanted.getAddress())) {
          throw new VerbsException(
              "rdma_bind_addr",
              Errno.ENODEV,
              wanted.getAddress()
                  + " is not an address of a verbs device of this host; use one of "
                  + host.addresses()
                  + ".");
        }
        verbs = host.checkDevice("rdma_bind_addr", wanted.getAddress());
      }
      int port = host.claimPort(this, wanted.getPort());
      local = new InetSocketAddress(wanted.getAddress(), port);
      state = State.BOUND;
    }
  }

  @Override
  public void listen(int newBacklog) throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_listen");
      require("rdma_listen", State.BOUND);
      backlog = newBacklog <= 0 ? 128 : newBacklog;
      state = State.LISTENING;
    }
  }

  @Override
  public void resolveAddr(@Nullable SocketAddress source, SocketAddress destination, int millis)
      throws IOException {
    synchronized (fabric().lock) {
      use("rdma_resolve_addr");
      require("rdma_resolve_addr", State.IDLE, State.BOUND);
      InetSocketAddress to = (InetSocketAddress) destination;
      if (to.getAddress().isLoopbackAddress()) {
        throw new VerbsException(
            "rdma_resolve_addr",
            Errno.ENODEV,
            "the loopback address belongs to no verbs device. Use the device's own address.");
      }
      FabricContext device;
      if (verbs != null) {
        device = (FabricContext) verbs;
      } else if (source instanceof InetSocketAddress from) {
        device = host.checkDevice("rdma_resolve_addr", from.getAddress());
        local = new InetSocketAddress(from.getAddress(), freePort());
      } else {
        device = host.checkRoute("rdma_resolve_addr", to.getAddress());
      }
      device.check("rdma_resolve_addr");
      remote = to;
      if (local == null) {
        local = localFor(device, to);
      }
      state = State.RESOLVING;
      fabric().connections.resolveAddress(this, device, to, millis);
    }
  }

  @Override
  public void resolveRoute(int millis) throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_resolve_route");
      require("rdma_resolve_route", State.ADDRESS_RESOLVED);
      state = State.RESOLVING;
      fabric().connections.resolveRoute(this);
    }
  }

  @Override
  public IbvQP createQP(IbvPd pd, IbvQPInitAttr attr) throws IOException {
    synchronized (fabric().lock) {
      use("rdma_create_qp");
      if (verbs == null || pd.getContext() != verbs || qp != null) {
        throw new VerbsException(
            "rdma_create_qp",
            Errno.EINVAL,
            "an id has one queue pair, of a PD of the device to which the id was resolved.");
      }
      ((FabricContext) verbs).check("rdma_create_qp");
      FabricPd domain = (FabricPd) pd;
      domain.use("rdma_create_qp");
      ((FabricCq) attr.getSend_cq()).use("rdma_create_qp");
      ((FabricCq) attr.getRecv_cq()).use("rdma_create_qp");
      FabricQp made = new FabricQp(this, domain, attr, fabric().number());
      qp = made;
      qpObj = made;
      return made;
    }
  }

  @Override
  public void connect(RdmaConnParam parameters) throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_connect");
      require("rdma_connect", State.ROUTE_RESOLVED);
      needQp("rdma_connect");
      offer =
          ConnectionOffer.of(
              "rdma_connect", parameters, ConnectionParameters.MAX_CONNECT_DATA, depth(), depth());
      state = State.CONNECTING;
      fabric().connections.request(this);
    }
  }

  @Override
  public void accept(RdmaConnParam parameters) throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_accept");
      require("rdma_accept", State.REQUESTED);
      needQp("rdma_accept");
      ConnectionOffer asked = peer == null ? null : peer.offer;
      offer =
          ConnectionOffer.of(
              "rdma_accept",
              parameters,
              ConnectionParameters.MAX_ACCEPT_DATA,
              asked == null ? depth() : Math.min(depth(), asked.initiatorDepth()),
              asked == null ? depth() : Math.min(depth(), asked.responderResources()));
      fabric().connections.accept(this);
    }
  }

  @Override
  public void reject(ByteBuffer privateData) throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_reject");
      require("rdma_reject", State.REQUESTED);
      if (privateData.remaining() > ConnectionParameters.MAX_REJECT_DATA) {
        throw new VerbsException(
            "rdma_reject",
            Errno.EINVAL,
            privateData.remaining()
                + " bytes of private data; at most "
                + ConnectionParameters.MAX_REJECT_DATA
                + ".");
      }
      byte[] copy = new byte[privateData.remaining()];
      privateData.duplicate().get(copy);
      fabric().connections.reject(this, ByteBuffer.wrap(copy));
    }
  }

  @Override
  public void setAckTimeout(int exponent) throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_set_option");
      if (exponent < 0 || exponent > 31) {
        throw new VerbsException(
            "rdma_set_option", Errno.EINVAL, "an exponent of " + exponent + " is not in 0..31.");
      }
      if (host.lacksAckTimeouts) {
        throw new VerbsException(
            "rdma_set_option", Errno.ENOSYS, "this kernel has no such option.");
      }
      ackTimeout = exponent;
    }
  }

  @Override
  public void setTrafficClass(int value) throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_set_option");
      if (value < 0 || value > 255) {
        throw new VerbsException(
            "rdma_set_option", Errno.EINVAL, "a traffic class of " + value + " is not in 0..255.");
      }
      // The kernel accepts a later value, which has no effect.
      if (state == State.IDLE || state == State.BOUND) {
        trafficClass = value;
      }
    }
  }

  @Override
  public int disconnect() throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_disconnect");
      require("rdma_disconnect", State.ACCEPTED, State.CONNECTED, State.DISCONNECTED);
      if (qp != null) {
        qp.enterError();
      }
      fabric().connections.disconnect(this);
      return 0;
    }
  }

  @Override
  public int destroyQP() throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_destroy_qp");
      if (qp == null) {
        throw VerbsException.closed("rdma_destroy_qp", "The queue pair");
      }
      host.checkDestroysQueuePairs("rdma_destroy_qp");
      qp.destroy();
      qp = null;
      return 0;
    }
  }

  @Override
  public int destroyId() throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_destroy_id");
      if (qp != null) {
        throw VerbsException.inUse("rdma_destroy_id", "a connection id", "its queue pair");
      }
      abandon();
      return 0;
    }
  }

  @Override
  public int destroyEp() throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_destroy_ep");
      if (qp != null) {
        destroyQP();
      }
      return destroyId();
    }
  }

  @Override
  public void close() {
    Closing.unless(!isOpen, this::destroyId);
  }

  /** Returns the device; null for a listener on the wildcard address, as in rdma_cm. */
  @Override
  public @Nullable IbvContext getVerbs() {
    synchronized (fabric().lock) {
      return verbs; // also of a destroyed id, because DiSNI's active endpoints read it then
    }
  }

  /** Returns 1, because devices have one port. */
  @Override
  public byte getPort_num() {
    return (byte) (getVerbs() == null ? 0 : 1);
  }

  @Override
  public @Nullable SocketAddress getSource() throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_get_local_addr");
      return local;
    }
  }

  @Override
  public @Nullable SocketAddress getDestination() throws VerbsException {
    synchronized (fabric().lock) {
      use("rdma_get_peer_addr");
      return remote;
    }
  }

  // The methods below are called under the fabric's lock.

  private void use(String call) throws VerbsException {
    host.use(call, isOpen, "The connection id");
  }

  private void require(String call, State... allowed) throws VerbsException {
    for (State one : allowed) {
      if (state == one) {
        return;
      }
    }
    throw new VerbsException(call, Errno.EINVAL, "the id is " + state + " and does not allow it.");
  }

  private void needQp(String call) throws VerbsException {
    if (qp == null) {
      throw new VerbsException(call, Errno.EINVAL, "the id has no queue pair. Create one first.");
    }
  }

  Fabric fabric() {
    return host.fabric;
  }

  /** Returns the device's limit of READs as librdmacm keeps it, in 8 bits. */
  private int depth() {
    return host.profile.count(DeviceLimit.READS) & 0xff;
  }

  @Nullable FabricQp queuePair() {
    return qp;
  }

  int trafficClass() {
    return trafficClass;
  }

  int ackTimeout() {
    return ackTimeout;
  }

  @Nullable InetSocketAddress remote() {
    return remote;
  }

  boolean isListening() {
    return isOpen && state == State.LISTENING;
  }

  boolean isIn(State wanted) {
    return isOpen && state == wanted;
  }

  /** Returns whether a listener accepts requests for an address, which a device has now. */
  boolean listensOn(InetSocketAddress address, @Nullable FabricContext device) {
    InetSocketAddress own = local;
    return own != null
        && (own.getAddress().isAnyLocalAddress()
            || (own.getAddress().equals(address.getAddress()) && verbs == device));
  }

  /** Returns whether packets from the id's address, if it has one, reach another. */
  boolean reaches(InetAddress to) {
    return local == null
        || local.getAddress().isAnyLocalAddress()
        || fabric().reaches(local.getAddress(), to);
  }

  private int freePort() {
    return 32_768 + fabric().number() % 28_000;
  }

  private @Nullable InetSocketAddress localFor(FabricContext device, InetSocketAddress to) {
    List<InetAddress> own =
        device.adapter.addresses().stream()
            .filter(address -> address.getClass() == to.getAddress().getClass())
            .toList();
    return own.stream()
        .filter(address -> Fabric.shareNetwork(address, to.getAddress()))
        .findFirst()
        .or(() -> own.stream().findFirst())
        .map(address -> new InetSocketAddress(address, freePort()))
        .orElse(null);
  }

  void resolved(FabricContext device) {
    verbs = device;
    state = State.ADDRESS_RESOLVED;
  }

  void raise(EventType type, int status) {
    raise(type, status, null, null, () -> {});
  }

  void raise(
      EventType type,
      int status,
      @Nullable FabricCmId listening,
      @Nullable RdmaConnParam parameters,
      Runnable whenTaken) {
    if (!isOpen) {
      return;
    }
    try {
      channel.raise(new FabricCmEvent(type, status, listening, this, parameters, whenTaken));
    } catch (IOException e) {
      throw new IllegalStateException("DiSNI's constructors fail only without a provider", e);
    }
  }

  void deviceRemoved(FabricContext device) {
    if (verbs == device) {
      raise(EventType.RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
    }
  }

  /** Ends the id, because its owner destroys it or its process ends. The peer gets a message. */
  void abandon() {
    if (qp != null) {
      qp.destroy();
      qp = null;
    }
    fabric().connections.abandoned(this);
    isOpen = false;
    channel.removeUser(this);
    host.closed(this);
  }
}
