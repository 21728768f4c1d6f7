package io.verbena.verbs.ffm.cm;

import static io.verbena.verbs.ffm.abi.CmLayouts.CM_ID;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.VerbsCmId;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.abi.SocketAddresses;
import io.verbena.verbs.ffm.device.AbiCheck;
import io.verbena.verbs.ffm.device.FfmContext;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.lib.Rdmacm;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import io.verbena.verbs.ffm.qp.FfmQp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One end of a connection, or a listener. It is the counterpart of a TCP socket. */
public final class FfmCmId extends RdmaCmId implements VerbsCmId {
  private static final int RDMA_OPTION_ID = 0;
  private static final int RDMA_OPTION_ID_TOS = 0;
  private static final int RDMA_OPTION_ID_ACK_TIMEOUT = 3;

  private final Lifetime life = new Lifetime("the connection id", "queue pairs");
  private final FfmEventChannel channel;
  private final MemorySegment pointer;
  private volatile @Nullable FfmContext device;

  private FfmCmId(FfmEventChannel channel, MemorySegment id) throws IOException {
    super(channel, null);
    this.channel = channel;
    this.pointer = id;
    ps = Pointers.u32(id, CM_ID, "ps");
    channel.add(this);
  }

  static FfmCmId create(FfmEventChannel channel, MemorySegment channelPointer, short portSpace)
      throws IOException {
    return channel.life().make("rdma_create_id", () -> make(channel, channelPointer, portSpace));
  }

  private static FfmCmId make(
      FfmEventChannel channel, MemorySegment channelPointer, short portSpace) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      int ps = portSpace & 0xffff;
      Rdmacm.CREATE_ID.zero(channelPointer, out, channelPointer, ps);
      MemorySegment id = Pointers.struct(out.get(ADDRESS, 0), CM_ID);
      AbiCheck.expect(
          Pointers.pointer(id, CM_ID, "channel").equals(channelPointer)
              && Pointers.pointer(id, CM_ID, "context").equals(channelPointer)
              && Pointers.u32(id, CM_ID, "ps") == ps,
          "rdma_cm_id.ps");
      return new FfmCmId(channel, id);
    }
  }

  /** Makes the id of a connection request. The caller holds the channel's lock. */
  static FfmCmId requested(FfmEventChannel channel, MemorySegment pointer) throws IOException {
    channel.life().addDependent("rdma_get_cm_event");
    return new FfmCmId(channel, Pointers.struct(pointer, CM_ID));
  }

  /** Returns the {@code rdma_cm_id}. It is valid while {@link #life} has a use or a dependent. */
  MemorySegment pointer() {
    return pointer;
  }

  FfmEventChannel channel() {
    return channel;
  }

  /** Returns the id's lifetime. The id's queue pair depends on it. */
  Lifetime life() {
    return life;
  }

  /** Null until the id is bound to a device's address or has resolved one. */
  @Override
  public @Nullable IbvContext getVerbs() throws IOException {
    return device();
  }

  private @Nullable FfmContext device() throws IOException {
    FfmContext known = device;
    if (known == null) {
      try (Use _ = life.use("rdma_cm_id.verbs")) {
        known = channel.devices().of(Pointers.pointer(pointer, CM_ID, "verbs"));
        device = known;
        verbs = known;
        port_num = pointer.get(JAVA_BYTE, CM_ID.offset("port_num"));
      }
    }
    return known;
  }

  /**
   * Records the device. librdmacm may have opened it just now, and keeps it open even after the id
   * is destroyed.
   *
   * @param removal whether the device is being removed
   */
  void noteDevice(boolean removal) {
    try {
      FfmContext known = device();
      if (known != null && removal) {
        known.removed();
      }
    } catch (IOException gone) {
      // The device is gone or the id is closed. Its next use fails with the reason.
    }
  }

  @Override
  public void bindAddr(SocketAddress address) throws IOException {
    try (Use _ = life.use("rdma_bind_addr");
        Arena arena = Arena.ofConfined()) {
      Rdmacm.BIND_ADDR.zero(pointer, SocketAddresses.write(arena, address));
    } finally {
      noteDevice(false);
    }
  }

  @Override
  public void listen(int backlog) throws IOException {
    try (Use _ = life.use("rdma_listen")) {
      Rdmacm.LISTEN.zero(pointer, backlog);
    } finally {
      noteDevice(false);
    }
  }

  @Override
  public void resolveAddr(
      @Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
      throws IOException {
    try (Use _ = life.use("rdma_resolve_addr");
        Arena arena = Arena.ofConfined()) {
      Rdmacm.RESOLVE_ADDR.zero(
          pointer,
          source == null ? MemorySegment.NULL : SocketAddresses.write(arena, source),
          SocketAddresses.write(arena, destination),
          timeoutMillis);
    }
  }

  @Override
  public void resolveRoute(int timeoutMillis) throws IOException {
    try (Use _ = life.use("rdma_resolve_route")) {
      Rdmacm.RESOLVE_ROUTE.zero(pointer, timeoutMillis);
    }
  }

  @Override
  public void connect(RdmaConnParam parameters) throws IOException {
    try (Use _ = life.use("rdma_connect");
        Arena arena = Arena.ofConfined()) {
      Rdmacm.CONNECT.zero(pointer, ConnectParameters.write(arena, parameters, device()));
    } finally {
      Reference.reachabilityFence(parameters); // they hold the private data
    }
  }

  @Override
  public void accept(RdmaConnParam parameters) throws IOException {
    try (Use _ = life.use("rdma_accept");
        Arena arena = Arena.ofConfined()) {
      Rdmacm.ACCEPT.zero(pointer, ConnectParameters.write(arena, parameters, device()));
    } finally {
      Reference.reachabilityFence(parameters); // they hold the private data
    }
  }

  @Override
  public void reject(ByteBuffer privateData) throws IOException {
    try (Use _ = life.use("rdma_reject");
        Arena arena = Arena.ofConfined()) {
      MemorySegment data = ConnectParameters.rejection(arena, privateData);
      Rdmacm.REJECT.zero(pointer, data, (byte) data.byteSize());
    }
  }

  @Override
  public int disconnect() throws IOException {
    try (Use _ = life.use("rdma_disconnect")) {
      Rdmacm.DISCONNECT.zero(pointer);
    }
    return 0;
  }

  @Override
  public void setAckTimeout(int exponent) throws IOException {
    setOption(RDMA_OPTION_ID_ACK_TIMEOUT, exponent);
  }

  @Override
  public void setTrafficClass(int value) throws IOException {
    setOption(RDMA_OPTION_ID_TOS, value);
  }

  private void setOption(int name, int value) throws IOException {
    try (Use _ = life.use("rdma_set_option");
        Arena arena = Arena.ofConfined()) {
      MemorySegment octet = arena.allocateFrom(JAVA_BYTE, (byte) value);
      Rdmacm.SET_OPTION.zero(pointer, RDMA_OPTION_ID, name, octet, 1L);
    }
  }

  @Override
  public IbvQP createQP(IbvPd pd, IbvQPInitAttr attr) throws IOException {
    try (Use _ = life.use("rdma_create_qp")) {
      FfmQp made = QpCreation.create(this, pd, attr);
      qpObj = made;
      return made;
    }
  }

  /** Destroys the queue pair. Fails with EBADF if the id has none. */
  @Override
  public int destroyQP() throws IOException {
    if (!(qpObj instanceof FfmQp qp)) {
      throw VerbsException.closed("rdma_destroy_qp", "the queue pair");
    }
    return qp.destroy();
  }

  @Override
  public @Nullable SocketAddress getSource() throws IOException {
    return address("route.addr.src_storage");
  }

  @Override
  public @Nullable SocketAddress getDestination() throws IOException {
    return address("route.addr.dst_storage");
  }

  private @Nullable SocketAddress address(String member) throws IOException {
    try (Use _ = life.use("rdma_cm_id.route")) {
      return SocketAddresses.read(pointer.asSlice(CM_ID.offset(member)));
    }
  }

  @Override
  public boolean isOpen() {
    return life.isOpen();
  }

  /** Destroys the id. Fails with EBUSY while the id has a queue pair. */
  @Override
  public int destroyId() throws IOException {
    life.close("rdma_destroy_id", () -> channel.exclusively(this::free));
    isOpen = false;
    channel.life().removeDependent();
    return 0;
  }

  private void free() throws IOException {
    channel.remove(this);
    Rdmacm.DESTROY_ID.zero(pointer);
  }

  /** Destroys the queue pair, if there is one, and the id. */
  @Override
  public int destroyEp() throws IOException {
    if (qpObj != null && qpObj.isOpen()) {
      destroyQP();
    }
    return destroyId();
  }

  /** Destroys the id, if it is open. */
  @Override
  public void close() {
    Closing.unless(!life.isOpen(), this::destroyId);
  }
}
