package io.verbena.core.call;

import io.verbena.api.wire.WireException;
import io.verbena.core.bulk.LimitedWait;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Shortage;
import io.verbena.link.memory.Waiters;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Starts the handlers of one session's calls in the order of the calls, and has all that waits
 * until the peer takes earlier replies. Handlers start at once while there is memory for their
 * replies. If the peer does not read its replies, its further calls wait.
 *
 * <p>The size of a reply is estimated from earlier replies of the method. A handler reserves it
 * twice, for the result and for its encoding. Just before it runs, other calls may have shown that
 * the method needs more, or how much it needs at all. The rest is reserved then. Without enough
 * memory the handler is postponed. One handler of a session runs in any case, so that a session
 * with a small share makes progress, one reply at a time, unless the memory of all is overdrawn. A
 * reply that outgrows its reservation takes the rest as it is encoded, before further handlers
 * start. A call whose arguments are read beside the loop keeps its turn, and later calls wait for
 * it. On the loop, except {@link #mayRun} and {@link #awaitMemory}.
 */
final class HandlerStarts {
  private final SessionImpl session;
  private final EventLoop loop;
  private final Outbox outbox;
  private final long maxKeptBytes;
  private final ReplyMemory memory;

  private final PriorityQueue<ServerCall> waiting =
      new PriorityQueue<>(Comparator.comparingLong(call -> call.id));

  /** The place of the first of them, if it waits for memory. */
  private final Waiters.Place place;

  /** The replies that wait while they are encoded, in order of arrival. */
  private final ArrayDeque<Growth> growing = new ArrayDeque<>();

  HandlerStarts(Calls calls) {
    this.session = calls.session;
    this.loop = calls.loop;
    this.outbox = session.outbox();
    this.maxKeptBytes = session.limits().maxKeptBytes();
    this.memory = calls.replyMemory;
    this.place = memory.share().waiters().place(loop.executor(), this::startWaiting);
  }

  /** Returns whether a call's handler may start now. Otherwise it starts later. */
  boolean mayStart(ServerCall call) {
    if (waiting.isEmpty() && admits(call)) {
      return true;
    }
    call.awaitPeer();
    await(call);
    return false;
  }

  /** Keeps a call's turn, for instance until its arguments have been read. Later calls wait. */
  void await(ServerCall call) {
    boolean isFirst = waiting.isEmpty();
    waiting.add(call);
    if (isFirst) {
      session.turnsChanged();
    }
  }

  /** Returns whether handlers wait, to start or for the memory of their results. */
  boolean hasWaiting() {
    return !waiting.isEmpty() || !growing.isEmpty();
  }

  /** A call's arguments have been read. It starts in its turn. */
  void argumentsRead(ServerCall call) {
    if (waiting.contains(call)) {
      startWaiting();
      if (waiting.contains(call)) {
        call.awaitPeer();
      }
    } else {
      call.startLate(); // its peer is gone
    }
  }

  /** Removes a call that ended before its arguments were read. */
  void forget(ServerCall call) {
    waiting.remove(call);
  }

  /** Lets go on what may go on now: a reply that waits for its memory, and then handlers. */
  void startWaiting() {
    Growth first = growing.peekFirst();
    if (first != null) {
      first.look();
    }
    while (!waiting.isEmpty() && waiting.peek().isHandled() && mayEnd(waiting.peek())) {
      place.leave();
      waiting.remove().startLate();
    }
  }

  /** A call that is no longer wanted does not wait for memory that other sessions have. */
  private boolean mayEnd(ServerCall call) {
    return admits(call) || (call.isCancelled() && memory.share().quota().isOverdrawn());
  }

  private boolean admits(ServerCall call) {
    if (outbox.owedBytes() > maxKeptBytes || !growing.isEmpty()) {
      return false; // the next acknowledgement checks again
    }
    long expected = call.expectedReply();
    if (expected <= 0 || memory.reserve(call, 2 * expected)) {
      return true;
    }
    place.join(() -> memory.lacks(2 * expected));
    return false;
  }

  /**
   * Returns whether a handler may run that was started when its reply was expected to be shorter.
   * Otherwise it must be {@linkplain #putOff postponed}. On the handler's thread.
   */
  boolean mayRun(ServerCall call) {
    long expected = call.expectedReply();
    return expected <= 0 || memory.reserve(call, 2 * expected);
  }

  void putOff(ServerCall call) {
    ended(call);
    call.awaitPeer();
    await(call);
    startWaiting();
  }

  /** A handler has ended, and its reply has been counted. Releases what the reply does not need. */
  void ended(ServerCall call) {
    if (call.reserved != 0) { // no other thread changes it any more
      memory.release(call);
    }
  }

  /**
   * The peer is lost. Calls that have not started are dropped, except one-way calls, which start.
   */
  void peerLost() {
    List<ServerCall> left =
        waiting.stream().sorted(Comparator.comparingLong(call -> call.id)).toList();
    waiting.clear();
    place.leave();
    for (ServerCall call : left) {
      if (!call.isHandled()) {
        continue; // it waits until it has been read
      }
      if (call.method.oneway()) {
        call.startLate();
      } else {
        call.close();
      }
    }
  }

  // ---- replies that outgrow their reservation ----

  /**
   * Takes memory for a reply that is being encoded, when there is enough. The handler's thread
   * waits while the peer takes earlier replies, and at most 10 s while it takes none. A loop's
   * thread does not wait.
   *
   * @throws WireException if there is none
   * @throws CancellationException if the reply is no longer wanted
   */
  void awaitMemory(ServerCall reply, long bytes) {
    if (loop.isNotToWait()) {
      throw new WireException(noRoom(bytes, "a non-blocking handler does not wait"));
    }
    Growth growth = new Growth(reply, bytes);
    loop.execute(growth::begin);
    growth.await();
  }

  private String noRoom(long bytes, String why) {
    return "its caller has not received earlier results, which use the memory for more, and "
        + why
        + ": "
        + memory.share().refusal(bytes, Memory.REPLIES.setting())
        + ". Receive results sooner, or raise maxReplyBytes there";
  }

  /** The wait of a reply that is being encoded. */
  private final class Growth {
    private final ServerCall reply;
    private final long bytes;
    private final long more;
    private final LimitedWait limit = new LimitedWait(loop, this::look, this::progressAt);

    /** Completes with null if the reply has its memory, or else with the reason. */
    private final CompletableFuture<@Nullable String> over = new CompletableFuture<>();

    private long acknowledged;

    Growth(ServerCall reply, long bytes) {
      this.reply = reply;
      this.bytes = bytes;
      this.more = bytes - reply.reserved;
    }

    void begin() {
      acknowledged = outbox.acknowledged();
      growing.add(this);
      if (growing.size() == 1) {
        session.turnsChanged();
      }
      look();
    }

    void look() {
      if (over.isDone()) {
        return;
      }
      limit.beginAttempt();
      if (memory.grow(reply, bytes)) {
        end(null);
      } else if (reply.isCancelled()
          || !limit.goesOn(
              new Shortage(memory.share().waiters(), () -> memory.share().beyond(more)))) {
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
      limit.end();
      growing.remove(this);
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
