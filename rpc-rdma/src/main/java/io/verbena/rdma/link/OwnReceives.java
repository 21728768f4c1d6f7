package io.verbena.rdma.link;

import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RdmaDevice;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.SendHeader;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.ReceiveBlock;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Receives in the link's own queue: all that its peer may ever use, from the beginning on. What is
 * to be posted is gathered here, and not in the block, which the device's links use by turns.
 */
final class OwnReceives implements Receives {
  private final ReceiveBlock block;
  private final RegisteredPool pool;
  private final int frames;
  private final int[] slots;
  private final int[] toPost = new int[RdmaDevice.RECEIVE_BATCH];
  private @Nullable QueuePair queuePair;
  private int claimed;
  private int posted;
  private int waiting;

  OwnReceives(ReceiveBlock block, RegisteredPool pool, int frames) {
    this.block = block;
    this.pool = pool;
    this.frames = frames;
    this.slots = new int[frames + SendHeader.CONTROL_CREDITS];
  }

  @Override
  public RegisteredPool pool() {
    return pool;
  }

  @Override
  public int guaranteed() {
    return frames;
  }

  @Override
  public void open(QueuePair to) throws IOException {
    queuePair = to;
    for (; claimed < slots.length; claimed++) {
      slots[claimed] = pool.claim();
      if (slots[claimed] == RegisteredPool.NONE) {
        throw pool.shortage("for the receives of one more link");
      }
    }
    for (int slot : slots) {
      post(slot, true, true);
    }
    flush(true);
  }

  @Override
  public void taken() {
    posted--;
  }

  @Override
  public void post(int slot, boolean open, boolean counted) throws IOException {
    if (!open || queuePair == null) {
      return; // in ERR, where a receive that is posted late may never complete
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
    if (open && count > 0 && queuePair != null) {
      for (int i = 0; i < count; i++) {
        int slot = toPost[i];
        long name = WorkId.of(queuePair.link(), WorkId.RECEIVE, slot);
        block.request(i, name, pool.address(slot), pool.slotBytes(), pool.lkey(slot));
      }
      queuePair.postReceives(block, count);
      posted += count;
    }
  }

  @Override
  public int lease(int most) {
    return 0;
  }

  @Override
  public boolean isScarce() {
    return false;
  }

  @Override
  public void giveUp(int receives) {
    throw new IllegalStateException("nothing is leased from a queue of one's own");
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
      pool.release(slots[--claimed]);
    }
  }
}
