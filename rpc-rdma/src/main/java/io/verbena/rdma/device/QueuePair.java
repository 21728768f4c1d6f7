package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;

/** A reliable connected queue pair with its place in a completion queue and in the link table. */
public final class QueuePair {
  /** Code of 0.64 ms: if a receive should ever be missing, the peer asks again soon. */
  private static final int MIN_RNR_TIMER = 12;

  private final RdmaDevice device;
  private final RdmaCmId id;
  private final IbvQP qp;
  private final VerbsQp verbs;
  private final CompletionQueues.Queue completions;
  private final int entries;
  private final long link;
  private final int maxInline;
  private final int number;
  private boolean attached = true;

  QueuePair(
      RdmaDevice device,
      RdmaCmId id,
      IbvQP qp,
      CompletionQueues.Queue completions,
      int entries,
      long link,
      int maxInline)
      throws IOException {
    this.device = device;
    this.id = id;
    this.qp = qp;
    this.verbs = VerbsQp.of(qp);
    this.completions = completions;
    this.entries = entries;
    this.link = link;
    this.maxInline = maxInline;
    this.number = qp.getQp_num();
  }

  /** Returns the upper half of the WorkIds of its requests. */
  public long link() {
    return link;
  }

  /** Returns the longest Send that can be copied while posting. */
  public int maxInline() {
    return maxInline;
  }

  /** Returns what requests are posted to. */
  public VerbsQp verbs() {
    return verbs;
  }

  /** In ERR: returns whether the device has said that it takes no more shared receives. */
  public boolean isLastReceiveReached() throws IOException {
    return device.isLastReceiveReached(number);
  }

  /** The connection stands: sets what can only be set then. */
  public void established() throws IOException {
    verbs.modify(new QpChange().minRnrTimer(MIN_RNR_TIMER));
  }

  /** Has everything posted flushed, with an error, and tells the peer. */
  public void disconnect() throws IOException {
    verbs.modify(QpChange.toError());
    try {
      id.disconnect();
    } catch (IOException e) {
      // The connection is gone already: what there was to tell is known.
    }
  }

  /**
   * Destroys it and its connection; the device touches none of its memory afterwards. Where that
   * fails, nothing is heard of it any more, and it may be tried again.
   */
  public void destroy() throws IOException {
    undo();
    id.destroyId();
  }

  /** Destroys it and leaves its connection id as it was before. */
  public void undo() throws IOException {
    if (attached) {
      attached = false;
      device.detach(link, number);
    }
    if (qp.isOpen()) {
      id.destroyQP();
      completions.release(entries);
    }
  }
}
