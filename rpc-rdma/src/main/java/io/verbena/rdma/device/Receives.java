package io.verbena.rdma.link;

import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.device.Domain;
import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.device.SharedReceives;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.ReceiveBlock;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where a link's receives are posted: in a queue of its own, or in one that links share. */
abstract sealed class Receives {
  private final RegisteredPool pool;
  private final int guaranteed;

  private Receives(RegisteredPool pool, int guaranteed) {
    this.pool = pool;
    this.guaranteed = guaranteed;
  }

  /** Returns the receives of a link on a device, none of which is posted yet. */
  static Receives of(RdmaDevice device, Domain domain, RdmaSettings settings) {
    SharedReceives shared = domain.shared();
    return shared == null
        ? new Own(device.receives(), domain.receivePool(), settings.credits())
        : new Leased(shared, settings.guaranteedCredits());
  }

  RegisteredPool pool() {
    return pool;
  }

  /** Returns how many receives for frames there are from the beginning on. */
  int guaranteed() {
    return guaranteed;
  }

  /** Returns how many there are from the beginning on, those for control messages included. */
  final int all() {
    return guaranteed + SendHeader.CONTROL_CREDITS;
  }

  /** Has them posted before a peer can send. */
  abstract void open(QueuePair queuePair) throws IOException;

  /** A receive has completed, well or not. */
  abstract void taken();

  /**
   * Posts a slot again, with the next {@link #flush} at the latest.
   *
   * @param open whether the link still stands
   * @param counted whether the link goes on to count on it
   */
  abstract void post(int slot, boolean open, boolean counted) throws IOException;

  /**
   * Posts what is to be posted.
   *
   * @param open whether the link still stands
   */
  abstract void flush(boolean open) throws IOException;

  /** Returns how many more the link may count on from now on, up to a number. */
  abstract int lease(int most) throws IOException;

  /** Returns whether leases should end as they are used up. */
  abstract boolean isScarce();

  /** The peer will not use so many that were leased. */
  abstract void giveUp(int receives);

  /**
   * In ERR: returns whether nothing will complete any more. Asked again only when the completion
   * queue has been read to its end since.
   */
  abstract boolean isDrained() throws IOException;

  /** In ERR: returns whether waiting long enough is as good as {@link #isDrained}. */
  abstract boolean drainsByTime();

  /** The queue pair is drained or destroyed. */
  abstract void release() throws IOException;

  /**
   * Receives in the link's own queue: all that its peer may ever use, from the beginning on. What
   * is to be posted is gathered here, and not in the block, which the device's links use by turns.
   */
  private static final class Own extends Receives {
    private final ReceiveBlock block;
    private final int[] slots = new int[all()];
    private final int[] toPost = new int[RdmaDevice.RECEIVE_BATCH];
    private @Nullable QueuePair queuePair;
    private int claimed;
    private int posted;
    private int waiting;

    Own(ReceiveBlock block, RegisteredPool pool, int frames) {
      super(pool, frames);
      this.block = block;
    }

    @Override
    void open(QueuePair to) throws IOException {
      queuePair = to;
      for (; claimed < slots.length; claimed++) {
        slots[claimed] = pool().claim();
        if (slots[claimed] == RegisteredPool.NONE) {
          throw pool().shortage("for the receives of one more link");
        }
      }
      for (int slot : slots) {
        post(slot, true, true);
      }
      flush(true);
    }

    @Override
    void taken() {
      posted--;
    }

    @Override
    void post(int slot, boolean open, boolean counted) throws IOException {
      if (!open || queuePair == null) {
        return; // in ERR, where a receive that is posted late may never complete
      }
      toPost[waiting] = slot;
      if (++waiting == toPost.length) {
        flush(true);
      }
    }

    @Override
    void flush(boolean open) throws IOException {
      int count = waiting;
      waiting = 0;
      if (open && count > 0 && queuePair != null) {
        for (int i = 0; i < count; i++) {
          int slot = toPost[i];
          long name = WorkId.of(queuePair.link(), WorkId.RECEIVE, slot);
          pool().receiveInto(slot, block, i, name);
        }
        queuePair.postReceives(block, count);
        posted += count;
      }
    }

    @Override
    int lease(int most) {
      return 0;
    }

    @Override
    boolean isScarce() {
      return false;
    }

    @Override
    void giveUp(int receives) {
      throw new IllegalStateException("nothing is leased from a queue of one's own");
    }

    @Override
    boolean isDrained() {
      return posted == 0;
    }

    @Override
    boolean drainsByTime() {
      return false;
    }

    @Override
    void release() {
      while (claimed > 0) {
        pool().release(slots[--claimed]);
      }
    }
  }

  /** A link's part of the receives that all links of its domain share. */
  private static final class Leased extends Receives {
    private final SharedReceives shared;
    private @Nullable QueuePair queuePair;
    private boolean lastReached;

    /** What the link counts on and has not used, whatever became of those it has used. */
    private int granted;

    Leased(SharedReceives shared, int guaranteed) {
      super(shared.pool(), guaranteed);
      this.shared = shared;
    }

    @Override
    void open(QueuePair to) throws IOException {
      shared.join(all());
      granted = all();
      queuePair = to;
    }

    @Override
    void taken() {
      shared.taken();
      granted--;
    }

    @Override
    void post(int slot, boolean open, boolean counted) throws IOException {
      shared.post(slot); // others need it, even when this link does not
      if (counted) {
        shared.grant();
        granted++;
      }
    }

    @Override
    void flush(boolean open) throws IOException {
      shared.flush();
    }

    @Override
    int lease(int most) throws IOException {
      int lent = shared.lease(most);
      granted += lent;
      return lent;
    }

    @Override
    boolean isScarce() {
      return shared.isScarce();
    }

    @Override
    void giveUp(int receives) {
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
    boolean isDrained() throws IOException {
      if (queuePair == null || lastReached) {
        return true;
      }
      lastReached = queuePair.isLastReceiveReached();
      return false;
    }

    /** rdma_rxe and others say nothing. */
    @Override
    boolean drainsByTime() {
      return true;
    }

    @Override
    void release() throws IOException {
      if (queuePair != null) {
        queuePair = null;
        shared.leave(all(), granted);
        shared.flush();
      }
    }
  }
}
