package io.verbena.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.link.LinkException;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.Greeting;
import io.verbena.rdma.wire.RdmaOffer;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.Terms;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A peer on the host "east" that keeps no rules: it connects and sends what the test says. */
final class RawPeer {
  static final int SEND_BYTES = 8 << 10;
  private static final int DEPTH = 256;

  /** The Sends that it may post at once, from fewer slots. */
  private static final int SEND_DEPTH = 8192;

  private static final EventType[] TYPES = EventType.values();

  private final PassiveEnd target;
  private final RdmaEventChannel channel;
  private final MemorySegment memory;
  private final SendBlock sends;
  private @Nullable RdmaCmId id;
  private @Nullable IbvMr region;
  private @Nullable EventType last;
  private ByteBuffer lastData = ByteBuffer.allocate(0);
  private int sent;

  RawPeer(PassiveEnd target) throws IOException {
    this.target = target;
    this.channel = target.world.east.createEventChannel();
    this.memory = target.memory.allocate((long) DEPTH * SEND_BYTES, 4096);
    this.sends = new SendBlock(target.memory, 1, 1);
  }

  /** Connects with a greeting that is as it should be. */
  RawPeer connect(byte[] offerBytes) throws IOException, LinkException {
    connectAlone(offerBytes);
    target.stepUntil("the link", () -> !target.links.isEmpty());
    return this;
  }

  /** Connects likewise, and does not wait until the other end knows of it. */
  RawPeer connectAlone(byte[] offerBytes) throws IOException, LinkException {
    RdmaOffer offer = RdmaOffer.decode(offerBytes);
    Terms terms = new Terms(64, 64, SendHeader.CONTROL_CREDITS, SEND_BYTES, 0);
    connect(offer.candidates().getFirst(), new Greeting(offer.token(), terms).encode());
    expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
    return this;
  }

  /** Asks for a connection with any private data, and steps until there is an answer. */
  void connect(InetSocketAddress address, ByteBuffer privateData) throws IOException {
    request(address, privateData);
    awaitEvent();
  }

  /** Asks for a connection with any private data. */
  void request(InetSocketAddress address, ByteBuffer privateData) throws IOException {
    last = null;
    RdmaCmId made = channel.createId(RdmaCm.RDMA_PS_TCP);
    id = made;
    made.resolveAddr(null, address, 1000);
    expect(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
    made.resolveRoute(1000);
    expect(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
    prepare(made);
    ConnectionParameters parameters = new ConnectionParameters();
    parameters.privateData(privateData);
    made.connect(parameters);
  }

  private void prepare(RdmaCmId made) throws IOException {
    IbvPd domain = made.getVerbs().allocPd();
    IbvCQ cq = made.getVerbs().createCQ(null, SEND_DEPTH + DEPTH, 0);
    IbvQPInitAttr attributes = new IbvQPInitAttr();
    attributes.setQp_type(IbvQP.IBV_QPT_RC);
    attributes.setSend_cq(cq);
    attributes.setRecv_cq(cq);
    attributes.cap().setMax_send_wr(SEND_DEPTH);
    attributes.cap().setMax_recv_wr(DEPTH);
    attributes.cap().setMax_send_sge(1);
    attributes.cap().setMax_recv_sge(1);
    IbvQP qp = made.createQP(domain, attributes);
    IbvMr registered =
        VerbsPd.of(domain).registerMemory(memory.address(), memory.byteSize(), Access.LOCAL_WRITE);
    region = registered;
    ReceiveBlock receive = new ReceiveBlock(target.memory, 1, 1);
    receive.request(0, 0).sge(0, memory.address(), SEND_BYTES, registered.getLkey());
    for (int i = 0; i < DEPTH; i++) {
      VerbsQp.of(qp).postReceive(receive, 0, 1);
    }
  }

  private void awaitEvent() {
    last = null;
    target.stepUntil("an event of the connection manager", () -> take() != null);
  }

  private void expect(EventType type) {
    if (last == null) {
      awaitEvent();
    }
    if (last != type) {
      throw new AssertionError("not " + type + " but " + last);
    }
    if (type != EventType.RDMA_CM_EVENT_ESTABLISHED) {
      last = null;
    }
  }

  private @Nullable EventType take() {
    try {
      RdmaCmEvent event = channel.getCmEvent(0);
      if (event != null) {
        if (event.getConnIdPriv() == id) { // not of a connection before this one
          last = TYPES[event.getEvent()];
          lastData = ConnectionParameters.privateData(event);
        }
        event.ackEvent();
      }
      return last;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns what the connection manager said last. */
  @Nullable EventType heard() {
    return last;
  }

  /** Returns the private data that came with it. */
  ByteBuffer heardData() {
    return lastData;
  }

  /** Sends bytes as they are. */
  RawPeer send(byte... bytes) throws IOException {
    return send(SendOpcode.SEND, bytes);
  }

  /** Writes zeros where an advertisement says, plus an offset. */
  void write(Advertisement to, long offset, int immediate, int length) throws IOException {
    sends.remote(0, to.address() + offset, to.rkey());
    send(SendOpcode.RDMA_WRITE_WITH_IMM, immediate, new byte[length]);
  }

  /** Sends bytes by any opcode. */
  RawPeer send(int opcode, byte... bytes) throws IOException {
    return send(opcode, 7, bytes);
  }

  private RawPeer send(int opcode, int immediate, byte[] bytes) throws IOException {
    RdmaCmId connected = id;
    IbvMr registered = region;
    if (connected == null || registered == null) {
      throw new IllegalStateException("not connected");
    }
    long at = (long) (sent++ % DEPTH) * SEND_BYTES;
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, at, bytes.length);
    sends
        .request(0, sent, opcode, SendFlags.SIGNALED)
        .immediate(0, immediate)
        .sge(0, memory.address() + at, bytes.length, registered.getLkey());
    if (VerbsQp.of(connected.getQp()).postSend(sends, 0, 1) != 1) {
      throw new AssertionError("the peer's own send queue is full");
    }
    return this;
  }

  /** Returns a Send with one frame of so many bytes. */
  static byte[] frame(int bytes) {
    byte[] send = new byte[SendHeader.BYTES + SendHeader.LENGTH_BYTES + bytes];
    SendHeader.write(ByteBuffer.wrap(send), 0, SendHeader.FRAMES, 0, 0);
    ByteBuffer.wrap(send).putInt(SendHeader.BYTES, bytes);
    return send;
  }
}
