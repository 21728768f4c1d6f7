package io.verbena.verbs.ffm.bench;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ROUTE_RESOLVED;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.ext.WcStatus;
import io.verbena.verbs.ffm.FfmProvider;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** One connected end: a queue pair with a queue for each direction, and one registered buffer. */
final class Host {
  static final int DEPTH = 64;

  /** The longest inline send; perftest's own number, but it ignores it on Soft-RoCE. */
  static final int INLINE = Integer.getInteger("verbs.bench.inline", 236);

  private static final int LIMIT_MILLIS = 120_000;

  final MemorySegment memory;
  final IbvMr region;
  final VerbsQp qp;
  final VerbsCq sends;
  final VerbsCq receives;
  final CompletionBlock completion = new CompletionBlock(Arena.global(), 1);

  private final RdmaEventChannel events;
  private final RdmaCmId id;

  private Host(RdmaEventChannel events, RdmaCmId id, int bytes) throws IOException {
    this.events = events;
    this.id = id;
    IbvPd pd = id.getVerbs().allocPd();
    IbvCQ sendQueue = id.getVerbs().createCQ(null, 2 * DEPTH, 0);
    IbvCQ receiveQueue = id.getVerbs().createCQ(null, 2 * DEPTH, 0);
    IbvQPInitAttr attr = new IbvQPInitAttr();
    attr.cap().setMax_send_wr(DEPTH);
    attr.cap().setMax_recv_wr(DEPTH);
    attr.cap().setMax_send_sge(1);
    attr.cap().setMax_recv_sge(1);
    attr.cap().setMax_inline_data(INLINE);
    attr.setSend_cq(sendQueue);
    attr.setRecv_cq(receiveQueue);
    qp = VerbsQp.of(id.createQP(pd, attr));
    sends = VerbsCq.of(sendQueue);
    receives = VerbsCq.of(receiveQueue);
    memory = Arena.global().allocate(bytes, 4096);
    int access = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
    region = VerbsPd.of(pd).registerMemory(memory.address(), bytes, access);
  }

  /** Prepares an end before it is connected. */
  interface Preparation {
    /** Posts what must be there when the peer begins. */
    void prepare(Host host) throws IOException;
  }

  /** Accepts one connection, and tells the peer where the memory is. */
  static Host serve(InetSocketAddress address, int bytes, Preparation preparation)
      throws IOException {
    RdmaEventChannel events = FfmProvider.shared().createEventChannel();
    RdmaCmId listener = events.createId(RdmaCm.RDMA_PS_TCP);
    listener.bindAddr(address);
    listener.listen(1);
    System.out.println("listening");
    Host host =
        new Host(events, next(events, RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv(), bytes);
    preparation.prepare(host);
    ByteBuffer where = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);
    where.putLong(host.memory.address()).putInt(host.region.getRkey()).flip();
    host.id.accept(new ConnectionParameters().privateData(where));
    next(events, RDMA_CM_EVENT_ESTABLISHED);
    return host;
  }

  /** The address of the peer's memory. */
  record Peer(Host host, long address, int rkey) {}

  /** Connects to an end that serves. */
  static Peer connect(InetSocketAddress address, int bytes, Preparation preparation)
      throws IOException {
    RdmaEventChannel events = FfmProvider.shared().createEventChannel();
    RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
    id.resolveAddr(null, address, 2_000);
    next(events, RDMA_CM_EVENT_ADDR_RESOLVED);
    id.resolveRoute(2_000);
    next(events, RDMA_CM_EVENT_ROUTE_RESOLVED);
    Host host = new Host(events, id, bytes);
    preparation.prepare(host);
    id.connect(new ConnectionParameters());
    ByteBuffer where = ConnectionParameters.privateData(next(events, RDMA_CM_EVENT_ESTABLISHED));
    return new Peer(host, where.getLong(), where.getInt());
  }

  @SuppressWarnings("EnumOrdinal") // the order of the constants is C's
  private static RdmaCmEvent next(RdmaEventChannel events, EventType type) throws IOException {
    RdmaCmEvent event = events.getCmEvent(LIMIT_MILLIS);
    if (event == null || event.getEvent() != type.ordinal()) {
      throw new IOException("got " + event + " instead of " + type);
    }
    return event;
  }

  void awaitDisconnect() throws IOException {
    next(events, RDMA_CM_EVENT_DISCONNECTED);
    id.disconnect();
  }

  void disconnect() throws IOException {
    id.disconnect();
    next(events, RDMA_CM_EVENT_DISCONNECTED);
  }

  /** Takes a good completion off a queue, if there is one. */
  boolean completed(VerbsCq queue) throws IOException {
    if (queue.poll(completion) == 0) {
      return false;
    }
    if (completion.status(0) != WcStatus.SUCCESS) {
      throw new IOException(WcStatus.describe(completion.status(0)));
    }
    return true;
  }

  void await(VerbsCq queue) throws IOException {
    while (!completed(queue)) {
      Thread.onSpinWait();
    }
  }
}
