package io.verbena.rdma.link;

import io.verbena.rdma.device.RegisteredPool;
import java.io.IOException;

/**
 * The registered slots that a link sends from. One stays with the link, so that an exhausted pool
 * slows it down but never stops it. On the loop.
 */
final class SendSlots {
  private final RegisteredPool pool;
  private int spare = RegisteredPool.NONE;

  SendSlots(RegisteredPool pool) {
    this.pool = pool;
  }

  RegisteredPool pool() {
    return pool;
  }

  /** Claims the one that stays. */
  void open() throws IOException {
    spare = pool.claim();
    if (spare == RegisteredPool.NONE) {
      throw pool.shortage("to send from");
    }
  }

  /** Returns a slot, or {@link RegisteredPool#NONE}. */
  int claim() throws IOException {
    int slot = spare;
    spare = RegisteredPool.NONE;
    return slot != RegisteredPool.NONE ? slot : pool.claim();
  }

  void giveBack(int slot) {
    if (spare == RegisteredPool.NONE) {
      spare = slot;
    } else {
      pool.release(slot);
    }
  }

  /** Gives a slot back that the link has no use for any more, or none. */
  void release(int slot) {
    if (slot != RegisteredPool.NONE) {
      pool.release(slot);
    }
  }

  /** Gives back the one that stayed. */
  void release() {
    release(spare);
    spare = RegisteredPool.NONE;
  }
}
