package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsException;

/** A shared receive queue. */
final class FabricSrq implements SharedReceiveQueue {
  final FabricPd pd;
  final ReceiveQueue queue;
  private final long token;
  private int limit;
  private int users;
  private boolean open = true;

  FabricSrq(FabricPd pd, int maxRequests, int maxSges) {
    this.pd = pd;
    queue = new ReceiveQueue(pd.device.fabric.depth(maxRequests), maxSges);
    token = pd.device.handles.add(this);
    pd.addUser();
    pd.device.host.objects++;
  }

  @Override
  public long handle() {
    return token;
  }

  @Override
  public int maxRequests() {
    return queue.capacity();
  }

  @Override
  public int postReceive(ReceiveBlock block, int first, int count) throws VerbsException {
    synchronized (pd.device.fabric.lock) {
      use("ibv_post_srq_recv");
      int posted = queue.post("ibv_post_srq_recv", block, first, count);
      pd.device.host.tally.receivePost(posted);
      return posted;
    }
  }

  @Override
  public void armLimit(int newLimit) throws VerbsException {
    synchronized (pd.device.fabric.lock) {
      use("ibv_modify_srq");
      if (newLimit < 0 || newLimit > queue.capacity()) {
        throw new VerbsException(
            "ibv_modify_srq",
            Errno.EINVAL,
            "a limit of " + newLimit + " is not within 0.." + queue.capacity() + ".");
      }
      limit = newLimit;
    }
  }

  @Override
  public void destroy() throws VerbsException {
    synchronized (pd.device.fabric.lock) {
      use("ibv_destroy_srq");
      pd.device.host.checkDestroys("ibv_destroy_srq");
      if (users > 0) {
        throw VerbsException.inUse(
            "ibv_destroy_srq", "a shared receive queue", users + " queue pairs");
      }
      open = false;
      pd.device.handles.remove(token);
      pd.removeUser();
      pd.device.host.objects--;
    }
  }

  private void use(String call) throws VerbsException {
    pd.device.host.use(call, open, "The shared receive queue");
  }

  // The methods below are called under the fabric's lock.

  void addUser() {
    users++;
  }

  void removeUser() {
    users--;
  }

  /** Raises the limit event once the queue has fewer receives than its limit. */
  void taken() {
    if (queue.size() < limit) {
      limit = 0;
      pd.device.raise(new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, null, null, this, 0));
    }
  }
}
