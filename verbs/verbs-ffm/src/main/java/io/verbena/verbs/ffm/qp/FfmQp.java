package io.verbena.verbs.ffm.qp;

import static io.verbena.verbs.ffm.abi.VerbsLayouts.QP;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.QpAttributes;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.ffm.device.FfmContext;
import io.verbena.verbs.ffm.device.FfmPd;
import io.verbena.verbs.ffm.lib.Pointers;
import io.verbena.verbs.ffm.life.Foundations;
import io.verbena.verbs.ffm.life.Lifetime;
import io.verbena.verbs.ffm.life.Lifetime.Use;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** A queue pair. Its connection id makes and destroys it. */
public final class FfmQp extends IbvQP implements VerbsQp {
  private final Lifetime life = new Lifetime("the queue pair", "requests");
  private final FfmContext device;
  private final Foundations foundations;
  private final MemorySegment pointer;
  private final Lifetime.Step destruction;
  private final PostVerb sends;
  private final PostVerb receives;
  private final BindGuard binds;

  /** Whether the queue pair has its own receive queue. libsiw crashes without one. */
  private final boolean receiving;

  /**
   * Wraps a QP that the connection manager has just made.
   *
   * @param foundations the objects that the QP depends on; released when it is destroyed
   * @param destruction frees the QP through the connection manager
   */
  public FfmQp(
      FfmPd pd,
      IbvQPInitAttr attr,
      MemorySegment qp,
      Foundations foundations,
      Lifetime.Step destruction)
      throws IOException {
    super(Pointers.u32(qp, QP, "qp_num"));
    this.device = pd.device();
    this.foundations = foundations;
    this.pointer = qp;
    this.destruction = destruction;
    this.pd = pd;
    context = device;
    send_cq = attr.getSend_cq();
    recv_cq = attr.getRecv_cq();
    handle = Pointers.u32(qp, QP, "handle");
    qp_type = Pointers.u32(qp, QP, "qp_type");
    sends = PostVerb.send(device.verbs().postSend(), qp.address());
    receives = PostVerb.receive("ibv_post_recv", device.verbs().postReceive(), qp.address());
    receiving = attr.getSrq() == 0 && attr.cap().getMax_recv_wr() > 0;
    binds = new BindGuard(device.live());
    device.live().add(qp.address(), this);
  }

  @Override
  public int postSend(SendBlock block, int first, int count) throws IOException {
    long head = block.chain(first, count);
    try (Use _ = life.use(sends.call());
        BindGuard.Held held = binds.hold(block, first, count)) {
      int posted = sends.post(head, count);
      held.posted(posted);
      return posted;
    } finally {
      Reference.reachabilityFence(block);
    }
  }

  @Override
  public int postReceive(ReceiveBlock block, int first, int count) throws IOException {
    long head = block.chain(first, count);
    try (Use _ = life.use(receives.call())) {
      if (!receiving) {
        throw new VerbsException(
            receives.call(), Errno.EINVAL, "The queue pair has no receive queue of its own.");
      }
      return receives.post(head, count);
    } finally {
      Reference.reachabilityFence(block);
    }
  }

  @Override
  public void modify(QpChange change) throws IOException {
    try (Use _ = life.use("ibv_modify_qp")) {
      QpQueries.modify(pointer, change);
    }
  }

  @Override
  public QpAttributes query() throws IOException {
    try (Use _ = life.use("ibv_query_qp")) {
      return QpQueries.query(pointer);
    }
  }

  /** Returns the state from the device; ERR if the queue pair does not exist any more. */
  @Override
  public int getState() {
    try {
      return query().state().value();
    } catch (IOException gone) {
      return QpState.ERR.value();
    }
  }

  @Override
  public boolean isOpen() {
    return life.isOpen();
  }

  /** Destroys the queue pair, as {@code destroyQP()} of the id does. */
  public int destroy() throws IOException {
    life.close("rdma_destroy_qp", this::free);
    isOpen = false;
    foundations.release();
    return 0;
  }

  private void free() throws IOException {
    binds.releaseWindows();
    device.live().forget(pointer.address(), destruction);
  }

  /** Destroys the queue pair, if it is open. */
  @Override
  public void close() {
    Closing.unless(!life.isOpen(), this::destroy);
  }
}
