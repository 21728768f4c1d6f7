package io.verbena.rdma.device;

import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.VerbsQp;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The receives of a link, in a queue of its own, or in one that links share. */
public abstract class Receives {
  /** The number of receives that are posted together to a link's own queue. */
  static final int BATCH = 32;

  private final RegisteredPool pool;
  private final int guaranteed;

  Receives(RegisteredPool pool, int guaranteed) {
    this.pool = pool;
    this.guaranteed = guaranteed;
  }

  /** Returns the pool of their slots. */
  public RegisteredPool pool() {
    return pool;
  }

  /** Returns the number of receives for frames that the link has from the beginning. */
  public int guaranteed() {
    return guaranteed;
  }

  /** Returns the number of all receives from the beginning, with those for control messages. */
  final int all() {
    return guaranteed + SendHeader.CONTROL_CREDITS;
  }

  /** Posts the receives, before a peer can send. */
  public abstract void open(QueuePair queuePair) throws IOException;

  /** A receive has completed, with success or not. */
  public abstract void taken();

  /**
   * Posts a slot again, at the latest with the next {@link #flush}.
   *
   * @param open whether the link is still open
   * @param counted whether the receive still counts as the link's
   */
  public abstract void post(int slot, boolean open, boolean counted) throws IOException;

  /**
   * Posts the slots that wait.
   *
   * @param open whether the link is still open
   */
  public abstract void flush(boolean open) throws IOException;

  /** Leases up to {@code most} further receives; returns how many. */
  public abstract int lease(int most) throws IOException;

  /** Returns whether leases should end when they are used up. */
  public abstract boolean isScarce();

  /** Returns leased receives that the peer will not use. */
  public abstract void giveUp(int receives);

  /**
   * In ERR: returns whether no request will complete any more. Called again only after the
   * completion queue has been read to its end.
   */
  public abstract boolean isDrained() throws IOException;

  /** In ERR: returns whether a long enough wait may replace {@link #isDrained}. */
  public abstract boolean drainsByTime();

  /** Releases the receives; the queue pair is drained or destroyed. */
  public abstract void release() throws IOException;

  /**
   * Receives in the link's own queue: the guaranteed ones, and more once the peer asks for them.
   * What is posted stays posted, since a queue returns none: the next lease takes what the peer has
   * given back. Slots to be posted are gathered here, and not in the block, which links use in
   * turn.
   */
  static final class Own extends Receives {
    private final ReceiveBlock block;
    private final int[] slots;
    private final int[] toPost = new int[BATCH];
    private @Nullable VerbsQp queue;

    /** The upper half of the WorkIds of the link's requests. */
    private long link;

    private int claimed;
    private int posted;
    private int waiting;

    /** The receives that the link has promised to its peer, or may promise once they are posted. */
    private int granted;

    /**
     * Makes the receives of a link.
     *
     * @param most the largest number of receives for frames
     */
    Own(ReceiveBlock block, RegisteredPool pool, int guaranteed, int most) {
      super(pool, guaranteed);
      this.block = block;
      this.slots = new int[all() + most - guaranteed];
    }

    @Override
    public void open(QueuePair to) throws IOException {
      queue = to.verbs();
      link = to.link();
      while (claimed < all() && claim()) {
        // The next one.
      }
      if (claimed < all()) {
        throw pool().shortage("for the receives of one more link");
      }
      for (int i = 0; i < claimed; i++) {
        post(slots[i], true, true);
      }
      flush(true);
    }

    private boolean claim() throws IOException {
      int slot = pool().claim();
      if (slot != RegisteredPool.NONE) {
        slots[claimed++] = slot;
      }
      return slot != RegisteredPool.NONE;
    }

    @Override
    public void taken() {
      posted--;
      granted--;
    }

    @Override
    public void post(int slot, boolean open, boolean counted) throws IOException {
      if (!open || queue == null) {
        return; // in ERR, a receive that is posted late may never complete
      }
      if (counted) {
        granted++;
      }
      toPost[waiting] = slot;
      if (++waiting == toPost.length) {
        flush(true);
      }
    }

    @Override
    public void flush(boolean open) throws IOException {
      int count = waiting;
      waiting = 0;
      if (open && count > 0 && queue != null) {
        for (int i = 0; i < count; i++) {
          int slot = toPost[i];
          long name = WorkId.of(link, WorkId.RECEIVE, slot);
          pool().receiveInto(slot, block, i, name);
        }
        int taken = queue.postReceive(block, 0, count);
        posted += taken;
        if (taken < count) {
          throw new IOException("the receive queue took " + taken + " of " + count + " receives");
        }
      }
    }

    @Override
    public int lease(int most) throws IOException {
      flush(true);
      while (posted + waiting - granted < most && claimed < slots.length && claim()) {
        post(slots[claimed - 1], true, false);
      }
      flush(true);
      int lent = Math.min(most, posted - granted);
      granted += lent;
      return lent;
    }

    @Override
    public boolean isScarce() {
      return false;
    }

    @Override
    public void giveUp(int receives) {
      granted -= receives;
    }

    @Override
    public boolean isDrained() {
      return posted == 0;
    }

    @Override
    public boolean drainsByTime() {
      return false;
    }

    @Override
    public void release() {
      while (claimed > 0) {
        pool().release(slots[--claimed]);
      }
    }
  }
}
