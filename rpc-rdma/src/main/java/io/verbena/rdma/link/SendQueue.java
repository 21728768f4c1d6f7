package io.verbena.rdma.link;

import io.verbena.rdma.device.QueuePair;
import io.verbena.rdma.device.RegisteredPool;
import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The places of a queue pair's send queue, taken in order and given back in order: a completion
 * stands for all requests before it. Each place knows the slot that its request borrows, and what
 * is to be done when it has completed.
 */
final class SendQueue {
  /** Not doing anything. */
  static final Runnable NOTHING = () -> {};

  private final QueuePair queuePair;
  private final SendBlock block;
  private final int[] borrowed;
  private final Runnable[] actions;
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();
  private long posted;
  private long reaped;

  /** Where the next request stands. */
  private int next;

  SendQueue(QueuePair queuePair, SendBlock block, int depth) {
    this.queuePair = queuePair;
    this.block = block;
    this.borrowed = new int[depth];
    this.actions = new Runnable[depth];
    Arrays.fill(borrowed, RegisteredPool.NONE);
    Arrays.fill(actions, NOTHING);
  }

  int free() {
    return borrowed.length - (int) (posted - reaped);
  }

  /** Returns how many requests were posted so far. */
  long posted() {
    return posted;
  }

  int maxInline() {
    return queuePair.maxInline();
  }

  /** Begins the next request, to be completed in the block that is returned, at index 0. */
  SendBlock begin(int opcode, int flags) {
    return block.request(0, WorkId.of(queuePair.link(), WorkId.SEND, next), opcode, flags);
  }

  /**
   * Posts what was begun; there must be a free place.
   *
   * @param slot what it borrows until it has completed, or NONE
   * @param action what is due then
   */
  void post(int slot, Runnable action) throws IOException {
    int place = next;
    next = place + 1 == borrowed.length ? 0 : place + 1;
    borrowed[place] = slot;
    if (action != NOTHING) { // as all places say already
      actions[place] = action;
    }
    posted++;
    if (!queuePair.postSend(block)) {
      throw new IOException("the send queue is full with " + (posted - reaped) + " requests");
    }
  }

  /** A request and all before it have completed: their slots come back, their actions are due. */
  void completed(int place, IntConsumer slots) {
    int done;
    do {
      done = (int) (reaped % borrowed.length);
      if (borrowed[done] != RegisteredPool.NONE) {
        slots.accept(borrowed[done]);
        borrowed[done] = RegisteredPool.NONE;
      }
      if (actions[done] != NOTHING) {
        due.add(actions[done]);
        actions[done] = NOTHING;
      }
      reaped++;
    } while (done != place && reaped < posted);
  }

  /** Returns the action that is due next, once; null when there is none. */
  @Nullable Runnable nextDue() {
    return due.poll();
  }

  /** Returns whether the completion of that place is the latest request's. */
  boolean isLatest(int place) {
    return posted > 0 && place == (int) ((posted - 1) % borrowed.length);
  }

  /**
   * In ERR: posts a Send that is flushed after all others; false where there is no room yet.
   * Without it nobody knows whether an unsignalled request is still in the queue.
   */
  boolean postLast() throws IOException {
    block.request(
        0, WorkId.of(queuePair.link(), WorkId.LAST_SEND, 0), SendOpcode.SEND, SendFlags.SIGNALED);
    return queuePair.postSend(block);
  }

  /** The queue pair is drained or destroyed: nothing is borrowed any more, nothing will be due. */
  void release(IntConsumer slots) {
    for (int i = 0; i < borrowed.length; i++) {
      if (borrowed[i] != RegisteredPool.NONE) {
        slots.accept(borrowed[i]);
        borrowed[i] = RegisteredPool.NONE;
      }
    }
    Arrays.fill(actions, NOTHING);
  }
}
