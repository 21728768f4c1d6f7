package io.verbena.rdma.device;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reliable connected queue pair, with its place in a completion queue and in the table of links.
 */
public final class QueuePair {
  private static final Logger LOG = LoggerFactory.getLogger(QueuePair.class);

  /** The code for 0.64 ms. If a receive is ever missing, the peer soon tries again. */
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

  /** Returns what was found out about its device. */
  public Lessons lessons() {
    return device.lessons();
  }

  /** Returns the length limit of Sends that are copied while they are posted. */
  public int maxInline() {
    return maxInline;
  }

  /** Returns the queue pair for posting requests. */
  public VerbsQp verbs() {
    return verbs;
  }

  /** In ERR: returns whether the device has reported that it takes no more shared receives. */
  public boolean isLastReceiveReached() throws IOException {
    return device.isLastReceiveReached(number);
  }

  /**
   * Sets attributes that can be set only now that the connection is established. A device may
   * refuse them: a receive is never missing while peers keep their promises, so the link goes on.
   */
  public void established() throws IOException {
    try {
      verbs.modify(new QpChange().minRnrTimer(MIN_RNR_TIMER));
    } catch (VerbsException e) {
      if (verbs.query().state() != QpState.RTS) {
        throw e;
      }
      LOG.debug("{} keeps its RNR timer: {}", device.name(), e.getMessage());
    }
  }

  /** Returns whether the queue pair is still connected, by its device. */
  public boolean isConnected() {
    try {
      return verbs.query().state() == QpState.RTS;
    } catch (IOException e) {
      return false;
    }
  }

  /** Flushes all posted requests with an error, and notifies the peer. */
  public void disconnect() throws IOException {
    verbs.modify(QpChange.toError());
    try {
      id.disconnect();
    } catch (IOException e) {
      // The connection is gone already, so the peer knows.
    }
  }

  /**
   * Destroys the queue pair and its connection. Afterwards the device does not touch its memory. If
   * that fails, it receives no more events, and may be destroyed again later.
   */
  public void destroy() throws IOException {
    undo();
    id.destroyId();
  }

  /** Destroys the queue pair, and leaves its connection id as it was before. */
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
