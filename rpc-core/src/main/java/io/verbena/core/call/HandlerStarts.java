package io.verbena.core.call;

import io.verbena.core.sequence.Outbox;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Waiters;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Starts the handlers of one session's calls in the order of the calls. They start at once while
 * there is memory for their replies. If the peer does not read its replies, its further calls wait.
 *
 * <p>The size of a reply is estimated from earlier replies of the method. A handler reserves it
 * twice, for the result and for its encoding. Just before it runs, other calls may have shown that
 * the method needs more, or how much it needs at all. The rest is reserved then. Without enough
 * memory the handler is postponed. One handler always runs, so that a session with a small share
 * makes progress, one reply at a time. A reply that outgrows its reservation {@linkplain
 * ReplyMemory#obtain takes} the rest as it is encoded. A call whose arguments are read beside the
 * loop keeps its turn, and later calls wait for it. On the loop, except {@link #mayRun}.
 */
final class HandlerStarts {
  private final SessionImpl session;
  private final Outbox outbox;
  private final long maxKeptBytes;
  private final ReplyMemory memory;
  private final PriorityQueue<ServerCall> waiting =
      new PriorityQueue<>(Comparator.comparingLong(call -> call.id));
  private final Waiters.Place place;

  HandlerStarts(Calls shared) {
    this.session = shared.session;
    this.outbox = session.outbox();
    this.maxKeptBytes = session.limits().maxKeptBytes();
    this.memory = shared.replyMemory;
    this.place = memory.share().waiters().place(session.loop().executor(), this::startWaiting);
  }

  /** Returns whether a call's handler may start now. Otherwise it starts later. */
  boolean mayStart(ServerCall call) {
    if (waiting.isEmpty() && admits(call)) {
      return true;
    }
    call.awaitsPeer();
    await(call);
    return false;
  }

  private void await(ServerCall call) {
    boolean isFirst = waiting.isEmpty();
    waiting.add(call);
    if (isFirst) {
      session.turnsChanged();
    }
  }

  /** Returns whether handlers wait, to start or for the memory of their results. */
  boolean hasWaiting() {
    return !waiting.isEmpty() || memory.isAwaited();
  }

  /** Keeps a call's turn until its arguments have been read. Later calls wait. */
  void awaitReading(ServerCall call) {
    await(call);
  }

  /** A call's arguments have been read. It starts in its turn. */
  void wasRead(ServerCall call) {
    if (waiting.contains(call)) {
      startWaiting();
      if (waiting.contains(call)) {
        call.awaitsPeer();
      }
    } else {
      call.startLate(); // its peer is gone
    }
  }

  /** Removes a call that ended before its arguments were read. */
  void forget(ServerCall call) {
    waiting.remove(call);
  }

  /** Starts waiting handlers that may start now. */
  void startWaiting() {
    memory.look();
    while (!waiting.isEmpty() && waiting.peek().isHandled() && admits(waiting.peek())) {
      place.leave();
      waiting.remove().startLate();
    }
  }

  private boolean admits(ServerCall call) {
    if (outbox.owedBytes() > maxKeptBytes || memory.isAwaited()) {
      return false; // the next acknowledgement checks again
    }
    long expected = call.expectedReply();
    if (expected <= 0 || memory.reserve(call, 2 * expected)) {
      return true;
    }
    place.join(() -> memory.share().beyond(2 * expected));
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

  /** Postpones a handler. */
  void putOff(ServerCall call) {
    memory.release(call);
    call.awaitsPeer();
    await(call);
    startWaiting();
  }

  /** A handler has ended, and its reply has been counted. */
  void ended(ServerCall call) {
    memory.release(call);
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
}
