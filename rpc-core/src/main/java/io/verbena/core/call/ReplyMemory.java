package io.verbena.core.call;

import io.verbena.api.wire.WireException;
import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Slot;
import java.util.ArrayDeque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One session's memory for replies longer than a slot.
 *
 * <pre>
 *   reserved: before the handler runs ─→ obtained: what the reply needs beyond that, as it grows
 *       ─→ charged: to the slot of the complete reply, until the peer has acknowledged it
 * </pre>
 *
 * <p>A reply that grows waits for memory on its handler's thread. The peer frees it by taking
 * earlier replies. When none are left, one reply may exceed the session's share, so that replies
 * never wait for each other in a circle. A session has at most one such reply more than its share.
 *
 * <p>Safe for use by any thread, except the methods that say otherwise.
 */
final class ReplyMemory {
  private final EventLoop loop;
  private final Outbox outbox;
  private final SessionImpl session;
  private final Quota.Share share;

  /** The memory of replies that are not complete. Guarded by this. */
  private long unfinished;

  /** The reply that may exceed the share until it is complete. Guarded by this. */
  private @Nullable ReplyMessage beyond;

  /** The replies that wait, in order of arrival. On the loop. */
  private final ArrayDeque<Wait> waiting = new ArrayDeque<>();

  ReplyMemory(SessionImpl session) {
    this.loop = session.context().loop();
    this.outbox = session.outbox();
    this.session = session;
    this.share = session.memory().replies();
  }

  /** Returns the session's share of the memory. */
  Quota.Share share() {
    return share;
  }

  /**
   * Reserves memory for a reply before its handler runs, in addition to what it has. A session
   * without other replies gets it in any case.
   *
   * @param bytes the total
   * @return false if there is not enough; the reply keeps what it has
   */
  synchronized boolean reserve(ReplyMessage reply, long bytes) {
    long more = bytes - reply.reserved;
    if (more > 0) {
      if (share.held() == reply.reserved) {
        share.takeAnyway(more);
      } else if (!share.take(more)) {
        return false;
      }
      add(reply, more);
    }
    return true;
  }

  /**
   * Takes memory for a reply that is being encoded, in addition to what it has. Does not wait.
   *
   * @param bytes the total
   * @return false if there is not enough; the reply keeps what it has
   */
  synchronized boolean grow(ReplyMessage reply, long bytes) {
    long more = bytes - reply.reserved;
    if (more > 0) {
      if (!share.take(more)) {
        boolean others = beyond != null && beyond != reply;
        if (others || share.held() > unfinished) {
          return false;
        }
        beyond = reply;
        share.takeAnyway(more);
      }
      add(reply, more);
    }
    return true;
  }

  private void add(ReplyMessage reply, long more) {
    reply.reserved += more;
    unfinished += more;
  }

  private void subtract(ReplyMessage reply, long less) {
    reply.reserved -= less;
    unfinished -= less;
    if (beyond == reply) {
      beyond = null;
    }
  }

  /**
   * Takes memory for a reply that is being encoded. If there is not enough, the handler's thread
   * waits while the peer takes earlier replies, and at most 10 s while it takes none. On a loop's
   * thread it does not wait.
   *
   * @throws WireException if there is none
   * @throws CancellationException if the reply is no longer wanted
   */
  void obtain(ReplyMessage reply, long bytes) {
    if (grow(reply, bytes)) {
      return;
    }
    if (loop.isNotToWait()) {
      throw new WireException(noRoom(bytes, "a non-blocking handler does not wait"));
    }
    Wait wait = new Wait(reply, bytes);
    loop.execute(wait::begin);
    wait.await();
  }

  private String noRoom(long bytes, String why) {
    return "its caller has not received earlier results, which use the memory for more, and "
        + why
        + ": "
        + share.refusal(bytes, "maxReplyBytes")
        + ". Receive results sooner, or raise maxReplyBytes there";
  }

  /** Counts the memory of a complete reply until its slot is released. */
  synchronized void charge(ReplyMessage reply, Slot slot, long bytes) {
    long taken = Math.min(bytes, reply.reserved);
    subtract(reply, taken);
    slot.charge(share, bytes, taken);
  }

  /** Releases the memory of a reply that it does not need, or not yet. On the loop. */
  void release(ReplyMessage reply) {
    if (reply.reserved == 0) {
      return;
    }
    long rest;
    synchronized (this) {
      rest = reply.reserved;
      subtract(reply, rest);
    }
    share.give(rest);
  }

  // ---- replies that wait; on the loop ----

  /** Returns whether replies wait. */
  boolean isAwaited() {
    return !waiting.isEmpty();
  }

  /** The peer may have taken the last of the earlier replies, or another one is complete. */
  void look() {
    Wait first = waiting.peekFirst();
    if (first != null) {
      first.look();
    }
  }

  /** The wait of a reply that is being encoded. */
  private final class Wait {
    private final ReplyMessage reply;
    private final long bytes;
    private final long more;
    private final LimitedWait limit = new LimitedWait(loop, this::look, this::progressAt);

    /** Completes with null if the reply has its memory, or else with the reason. */
    private final CompletableFuture<@Nullable String> over = new CompletableFuture<>();

    private long acknowledged;

    Wait(ReplyMessage reply, long bytes) {
      this.reply = reply;
      this.bytes = bytes;
      this.more = bytes - reply.reserved;
    }

    void begin() {
      acknowledged = outbox.acknowledged();
      waiting.add(this);
      if (waiting.size() == 1) {
        session.turnsChanged();
      }
      look();
    }

    void look() {
      if (over.isDone()) {
        return;
      }
      limit.tries();
      if (grow(reply, bytes)) {
        end(null);
      } else if (reply.isCancelled()
          || !limit.goesOn(new Shortage(share.waiters(), () -> share.beyond(more)))) {
        end(noRoom(bytes, "has taken none of them for 10 s"));
      }
    }

    /** The peer acknowledges frames in order, so replies come nearer to it. */
    private long progressAt() {
      long now = outbox.acknowledged();
      boolean moved = now != acknowledged;
      acknowledged = now;
      return moved ? loop.clock().nanoTime() : Long.MIN_VALUE;
    }

    private void end(@Nullable String why) {
      limit.ends();
      waiting.remove(this);
      over.complete(why);
    }

    /** Waits on the handler's thread. The call's deadline or its cancellation interrupts it. */
    void await() {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            String why = over.get();
            if (why != null) {
              throw new WireException(why);
            }
            return;
          } catch (InterruptedException e) {
            interrupted = true;
            if (reply.isCancelled()) {
              loop.execute(() -> end("it is no longer wanted"));
              throw new CancellationException("its result is no longer wanted");
            }
          } catch (ExecutionException e) {
            throw new AssertionError(e);
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
