package io.verbena.verbs.testkit;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One side of a connection: a queue pair with its queues and its memory, and short ways to post and
 * to wait. Closing destroys everything in order, and fails where something cannot be destroyed.
 */
public final class Side implements AutoCloseable {
  /** Part of closing, which may fail. */
  private interface Step {
    void run() throws IOException;
  }

  public final VerbsHarness harness;
  public final RdmaCmId id;
  public final IbvPd pd;
  public final IbvCompChannel channel;
  public final IbvCQ sendCq;
  public final IbvCQ receiveCq;
  public final IbvQP qp;

  /** Null where the queue pair has a receive queue of its own. */
  public final @Nullable SharedReceiveQueue srq;

  public final IbvQPInitAttr attributes = new IbvQPInitAttr();
  public final SendBlock sends;
  private final ReceiveBlock receives;
  private final CompletionBlock completions;
  private final Arena arena = Arena.ofShared();
  private final Deque<Wc> sent = new ArrayDeque<>();
  private final Deque<Wc> received = new ArrayDeque<>();
  private final Deque<Step> closing = new ArrayDeque<>();

  /** Makes a side with a PD of its own. */
  public static Side create(VerbsHarness harness, RdmaCmId id, Setup setup) throws IOException {
    return new Side(harness, id, id.getVerbs().allocPd(), true, setup);
  }

  /** Makes a side in a PD that the test destroys afterwards. */
  public static Side create(VerbsHarness harness, RdmaCmId id, IbvPd pd, Setup setup)
      throws IOException {
    return new Side(harness, id, pd, false, setup);
  }

  private final boolean ownsPd;
  private boolean qpOpen = true;

  private Side(VerbsHarness harness, RdmaCmId id, IbvPd pd, boolean ownsPd, Setup setup)
      throws IOException {
    this.harness = harness;
    this.id = id;
    this.pd = pd;
    this.ownsPd = ownsPd;
    IbvContext context = id.getVerbs();
    channel = context.createCompChannel();
    sendCq = context.createCQ(channel, setup.sendCqEntries, 0);
    receiveCq = context.createCQ(channel, setup.receiveCqEntries, 0);
    attributes.setQp_type(IbvQP.IBV_QPT_RC);
    attributes.setSend_cq(sendCq);
    attributes.setRecv_cq(receiveCq);
    attributes.cap().setMax_send_wr(setup.maxSend);
    attributes.cap().setMax_recv_wr(setup.maxReceive);
    attributes.cap().setMax_send_sge(setup.maxSges);
    attributes.cap().setMax_recv_sge(setup.maxSges);
    attributes.cap().setMax_inline_data(setup.maxInline);
    if (setup.sharedReceives > 0) {
      SharedReceiveQueue own = VerbsPd.of(pd).createSrq(setup.sharedReceives, 1);
      closing.addFirst(own::destroy);
      srq = own;
    } else {
      srq = setup.srq;
    }
    if (srq != null) {
      attributes.setSrq(srq.handle());
    }
    qp = id.createQP(pd, attributes);
    sends = new SendBlock(arena, 64, setup.maxSges);
    receives = new ReceiveBlock(arena, 64, setup.maxSges);
    completions = new CompletionBlock(arena, 16);
  }

  public VerbsQp verbs() {
    return VerbsQp.of(qp);
  }

  public int qpNumber() throws IOException {
    return qp.getQp_num();
  }

  /** Registered memory, zeroed, deregistered when the side closes. */
  public Buffer buffer(long size, int access) throws IOException {
    MemorySegment memory = arena.allocate(size, 4096);
    IbvMr mr = VerbsPd.of(pd).registerMemory(memory.address(), size, access);
    closing.addFirst(
        () -> {
          if (mr.isOpen()) {
            mr.deregMr().execute().free();
          }
        });
    return new Buffer(memory, mr);
  }

  /** Memory that only this side touches. */
  public Buffer buffer(long size) throws IOException {
    return buffer(size, Access.LOCAL_WRITE);
  }

  /** Memory that the peer may do anything to. */
  public Buffer openBuffer(long size) throws IOException {
    return buffer(
        size,
        Access.LOCAL_WRITE
            | Access.REMOTE_WRITE
            | Access.REMOTE_READ
            | Access.REMOTE_ATOMIC
            | Access.MW_BIND);
  }

  public MemorySegment unregistered(long size) {
    return arena.allocate(size, 64);
  }

  public MemoryWindow window() throws IOException {
    MemoryWindow window = VerbsPd.of(pd).allocateWindow();
    closing.addFirst(window::deallocate);
    return window;
  }

  /** Posts one receive over the whole buffer. */
  public void receive(long wrId, Buffer buffer) throws IOException {
    receive(wrId, buffer, 0, (int) buffer.memory().byteSize());
  }

  public void receive(long wrId, Buffer buffer, long offset, int length) throws IOException {
    receives.request(0, wrId).sge(0, buffer.address() + offset, length, buffer.lkey());
    postReceive();
  }

  /** Posts one receive over the first bytes of one buffer and the whole of another. */
  public void receive(long wrId, Buffer first, int length, Buffer second) throws IOException {
    receives
        .request(0, wrId)
        .sge(0, first.address(), length, first.lkey())
        .sge(0, second.address(), (int) second.memory().byteSize(), second.lkey());
    postReceive();
  }

  /** Posts a receive without memory, for a write with immediate to consume. */
  public void receiveNothing(long wrId) throws IOException {
    receives.request(0, wrId);
    postReceive();
  }

  private void postReceive() throws IOException {
    if (verbs().postReceive(receives, 0, 1) != 1) {
      throw new AssertionError("the receive queue is full");
    }
  }

  /** Posts to an SRQ what {@link #receive} would post to the queue pair. */
  public int receiveShared(
      SharedReceiveQueue srq, long wrId, Buffer buffer, long offset, int length)
      throws IOException {
    receives.request(0, wrId).sge(0, buffer.address() + offset, length, buffer.lkey());
    return srq.postReceive(receives, 0, 1);
  }

  /** Begins request 0 of the block {@link #sends} over a whole buffer. */
  public SendBlock request(long wrId, int opcode, int flags, Buffer buffer) {
    return request(wrId, opcode, flags, buffer, 0, (int) buffer.memory().byteSize());
  }

  public SendBlock request(
      long wrId, int opcode, int flags, Buffer buffer, long offset, int length) {
    return sends
        .request(0, wrId, opcode, flags)
        .sge(0, buffer.address() + offset, length, buffer.lkey());
  }

  /** Posts request 0 of the block; the queue must have room. */
  public void post() throws IOException {
    if (tryPost() != 1) {
      throw new AssertionError("the send queue is full");
    }
  }

  public int tryPost() throws IOException {
    return verbs().postSend(sends, 0, 1);
  }

  public Wc awaitSent() throws Exception {
    harness.await("a completion of a send request", () -> poll(sendCq, sent));
    return sent.removeFirst();
  }

  public Wc awaitReceived() throws Exception {
    harness.await("a completion of a receive", () -> poll(receiveCq, received));
    return received.removeFirst();
  }

  public List<Wc> awaitReceived(int count) throws Exception {
    List<Wc> all = new ArrayList<>();
    while (all.size() < count) {
      all.add(awaitReceived());
    }
    return all;
  }

  public boolean hasSent() throws IOException {
    return poll(sendCq, sent);
  }

  public boolean hasReceived() throws IOException {
    return poll(receiveCq, received);
  }

  private boolean poll(IbvCQ cq, Deque<Wc> into) throws IOException {
    int count = VerbsCq.of(cq).poll(completions);
    for (int i = 0; i < count; i++) {
      into.add(Wc.read(completions, i));
    }
    return !into.isEmpty();
  }

  /** Destroys the queue pair before the rest. */
  public void destroyQp() throws IOException {
    qpOpen = false;
    id.destroyQP();
  }

  /** Destroys everything of this side but the id. */
  @Override
  public void close() throws IOException {
    if (qpOpen) {
      destroyQp();
    }
    for (Step step : closing) {
      step.run();
    }
    sendCq.destroyCQ();
    receiveCq.destroyCQ();
    channel.destroyCompChannel();
    if (ownsPd) {
      pd.close();
    }
    arena.close();
  }
}
