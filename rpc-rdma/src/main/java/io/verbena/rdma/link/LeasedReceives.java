package io.verbena.rdma.link;

import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.device.SharedReceives;
import io.verbena.rdma.wire.SendHeader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A link's part of the receives that all links of its domain share. */
final class LeasedReceives implements Receives {
  private final SharedReceives shared;
  private final int guaranteed;
  private @Nullable QueuePair queuePair;

  private boolean lastReached;

  /** What the link counts on and has not used, whatever became of those it has used. */
  private int granted;

  LeasedReceives(SharedReceives shared, int guaranteed) {
    this.shared = shared;
    this.guaranteed = guaranteed;
  }

  @Override
  public RegisteredPool pool() {
    return shared.pool();
  }

  @Override
  public int guaranteed() {
    return guaranteed;
  }

  @Override
  public void open(QueuePair to) throws IOException {
    shared.join(receives());
    granted = receives();
    queuePair = to;
  }

  private int receives() {
    return guaranteed + SendHeader.CONTROL_CREDITS;
  }

  @Override
  public void taken() {
    shared.taken();
    granted--;
  }

  @Override
  public void post(int slot, boolean open, boolean counted) throws IOException {
    shared.post(slot); // others need it, even when this link does not
    if (counted) {
      shared.grant();
      granted++;
    }
  }

  @Override
  public void flush(boolean open) throws IOException {
    shared.flush();
  }

  @Override
  public int lease(int most) throws IOException {
    int lent = shared.lease(most);
    granted += lent;
    return lent;
  }

  @Override
  public boolean isScarce() {
    return shared.isScarce();
  }

  @Override
  public void giveUp(int receives) {
    shared.giveUp(receives);
    granted -= receives;
  }

  /**
   * Receives in a shared queue are not flushed; the device says when it takes none any more. What
   * it has taken by then is in the completion queue, and would be lost with the queue pair: that
   * queue is read to its end once more, as it is before each call (InfiniBand specification,
   * 10.3.1).
   */
  @Override
  public boolean isDrained() throws IOException {
    if (queuePair == null || lastReached) {
      return true;
    }
    lastReached = queuePair.isLastReceiveReached();
    return false;
  }

  /** rdma_rxe and others say nothing. */
  @Override
  public boolean drainsByTime() {
    return true;
  }

  @Override
  public void release() throws IOException {
    if (queuePair != null) {
      queuePair = null;
      shared.leave(receives(), granted);
      shared.flush();
    }
  }
}
