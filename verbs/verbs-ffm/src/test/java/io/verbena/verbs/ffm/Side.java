package io.verbena.verbs.ffm;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** One end of a connection in a test, with its own domain, queue and blocks. Not thread-safe. */
final class Side implements AutoCloseable {
  static final int DEPTH = 64;
  private static final long PATIENCE_NANOS = 20_000_000_000L;

  final Arena arena = Arena.ofShared();
  final RdmaCmId id;
  final IbvPd pd;
  final IbvCQ cq;
  final IbvQP qp;
  final SendBlock sends = new SendBlock(arena, DEPTH, 2);
  final ReceiveBlock receives = new ReceiveBlock(arena, DEPTH, 1);
  final CompletionBlock completions = new CompletionBlock(arena, 1);
  private final List<IbvMr> regions = new ArrayList<>();

  Side(RdmaCmId id) throws IOException {
    this.id = id;
    pd = id.getVerbs().allocPd();
    cq = id.getVerbs().createCQ(null, 2 * DEPTH, 0);
    IbvQPInitAttr attr = new IbvQPInitAttr();
    attr.cap().setMax_send_wr(DEPTH);
    attr.cap().setMax_recv_wr(DEPTH);
    attr.cap().setMax_send_sge(2);
    attr.cap().setMax_recv_sge(1);
    attr.setSend_cq(cq);
    attr.setRecv_cq(cq);
    qp = id.createQP(pd, attr);
  }

  IbvMr register(MemorySegment memory, int access) throws IOException {
    IbvMr region = VerbsPd.of(pd).registerMemory(memory.address(), memory.byteSize(), access);
    regions.add(region);
    return region;
  }

  /** Says that a region was deregistered already. */
  void forget(IbvMr region) {
    regions.remove(region);
  }

  void postSend(int count) throws IOException {
    if (VerbsQp.of(qp).postSend(sends, 0, count) != count) {
      throw new AssertionError("the send queue is full");
    }
  }

  void postReceive(int count) throws IOException {
    if (VerbsQp.of(qp).postReceive(receives, 0, count) != count) {
      throw new AssertionError("the receive queue is full");
    }
  }

  /** Polls the next completion into {@link #completions} at 0. */
  void await() throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (VerbsCq.of(cq).poll(completions) == 0) {
      if (System.nanoTime() > end) {
        throw new AssertionError("no completion within " + PATIENCE_NANOS / 1_000_000_000 + " s");
      }
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() throws IOException {
    id.destroyQP();
    for (IbvMr region : regions) {
      VerbsMr.of(region).deregister();
    }
    cq.destroyCQ();
    pd.close();
    id.destroyId();
    arena.close();
  }
}
