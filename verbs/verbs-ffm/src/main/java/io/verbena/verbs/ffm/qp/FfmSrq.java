package io.verbena.verbs.ffm.qp;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.SRQ_ATTR;
import static io.verbena.verbs.ffm.abi.VerbsLayouts.SRQ_INIT_ATTR;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ffm.device.FfmPd;
import io.verbena.verbs.ffm.lib.Ibverbs;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** A receive queue that several queue pairs share. */
public final class FfmSrq implements SharedReceiveQueue {
  private static final int IBV_SRQ_LIMIT = 1 << 1;

  private final Lifetime life = new Lifetime("the shared receive queue", "queue pairs");
  private final FfmPd pd;
  private final MemorySegment pointer;
  private final int maxRequests;
  private final PostVerb receives;

  private FfmSrq(FfmPd pd, MemorySegment pointer, int maxRequests) {
    this.pd = pd;
    this.pointer = pointer;
    this.maxRequests = maxRequests;
    receives =
        PostVerb.receive(
            "ibv_post_srq_recv", pd.device().verbs().postSrqReceive(), pointer.address());
  }

  /** Makes a queue in a domain. */
  public static FfmSrq create(FfmPd pd, int maxRequests, int maxSges) throws IOException {
    return pd.life().make("ibv_create_srq", () -> make(pd, maxRequests, maxSges));
  }

  private static FfmSrq make(FfmPd pd, int maxRequests, int maxSges) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment init = Pointers.room(arena, SRQ_INIT_ATTR);
      init.set(JAVA_INT, SRQ_INIT_ATTR.offset("attr.max_wr"), maxRequests);
      init.set(JAVA_INT, SRQ_INIT_ATTR.offset("attr.max_sge"), maxSges);
      MemorySegment srq = Ibverbs.CREATE_SRQ.pointer(pd.pointer(), init);
      FfmSrq queue = new FfmSrq(pd, srq, Pointers.u32(init, SRQ_INIT_ATTR, "attr.max_wr"));
      pd.device().live().add(srq.address(), queue);
      return queue;
    }
  }

  /** Returns the queue's lifetime. Queue pairs depend on it. */
  public Lifetime life() {
    return life;
  }

  /** Returns the {@code ibv_srq}. It is valid while {@link #life} has a use or a dependent. */
  public MemorySegment pointer() {
    return pointer;
  }

  @Override
  public long handle() {
    return pointer.address();
  }

  @Override
  public int maxRequests() {
    return maxRequests;
  }

  @Override
  public int postReceive(ReceiveBlock block, int first, int count) throws IOException {
    long head = block.chain(first, count);
    try (Use _ = life.use(receives.call())) {
      return receives.post(head, count);
    } finally {
      Reference.reachabilityFence(block);
    }
  }

  @Override
  public void armLimit(int limit) throws IOException {
    try (Use _ = life.use("ibv_modify_srq");
        Arena arena = Arena.ofConfined()) {
      MemorySegment attr = Pointers.room(arena, SRQ_ATTR);
      attr.set(JAVA_INT, SRQ_ATTR.offset("srq_limit"), limit);
      Ibverbs.MODIFY_SRQ.zero(pointer, attr, IBV_SRQ_LIMIT);
    }
  }

  @Override
  public void destroy() throws IOException {
    life.close(
        "ibv_destroy_srq",
        () -> pd.device().free(pointer.address(), () -> Ibverbs.DESTROY_SRQ.zero(pointer)));
    pd.life().removeDependent();
  }
}
