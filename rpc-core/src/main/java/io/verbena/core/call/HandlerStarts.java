package io.verbena.core.call;

import io.verbena.core.contract.LocalServices.Method;
import io.verbena.core.sequence.Outbox;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.Waiters;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Starts the handlers of one session's calls in the order of the calls. They start at once while
 * there is memory for their replies. If the peer does not read its replies, its further calls wait.
 * Calls that run already are answered even if their replies take more memory.
 *
 * <p>The size of a reply is estimated from earlier replies of the method. A handler reserves it
 * twice, for the result and for its encoding. If the method has never replied, memory is reserved
 * just before the handler runs, when other calls may have shown how much it needs. Without enough
 * memory the handler is postponed. One handler always runs, so that a session with a small share
 * makes progress, one reply at a time. A call whose arguments are read beside the loop keeps its
 * turn, and later calls wait for it. On the loop, except {@link #mayRun}.
 */
final class HandlerStarts {
  private final SessionImpl session;
  private final Outbox outbox;
  private final long maxKeptBytes;
  private final Quota.Share memory;
  private final PriorityQueue<ServerCall> waiting =
      new PriorityQueue<>(Comparator.comparingLong(call -> call.id));
  private final Waiters.Place place;

  HandlerStarts(SessionImpl session) {
    this.session = session;
    this.outbox = session.outbox();
    this.maxKeptBytes = session.limits().maxKeptBytes();
    this.memory = session.memory().replies();
    this.place = memory.waiters().place(session.loop().executor(), this::startWaiting);
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

  /** Returns whether handlers wait. */
  boolean hasWaiting() {
    return !waiting.isEmpty();
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
    while (!waiting.isEmpty() && waiting.peek().isHandled() && admits(waiting.peek())) {
      place.leave();
      waiting.remove().startLate();
    }
  }

  private boolean admits(ServerCall call) {
    if (outbox.owedBytes() > maxKeptBytes) {
      return false; // the next acknowledgement checks again
    }
    long expected = call.expectedReply();
    if (expected == Method.UNKNOWN) {
      call.reserved(Method.UNKNOWN);
      return true;
    }
    if (expected == 0 || reserves(call, expected)) {
      return true;
    }
    place.join(() -> memory.beyond(2 * expected));
    return false;
  }

  private boolean reserves(ServerCall call, long expected) {
    long bytes = 2 * expected;
    if (memory.held() == 0) {
      memory.takeAnyway(bytes);
    } else if (!memory.take(bytes)) {
      return false;
    }
    call.reserved(bytes);
    return true;
  }

  /**
   * Returns whether a handler may run that was started with a reply of unknown size. Otherwise it
   * must be {@linkplain #putOff postponed}. On the handler's thread.
   */
  boolean mayRun(ServerCall call) {
    long expected = call.expectedReply();
    return call.reserved() != Method.UNKNOWN || expected <= 0 || reserves(call, expected);
  }

  /** Postpones a handler. */
  void putOff(ServerCall call) {
    call.reserved(0);
    call.awaitsPeer();
    await(call);
    startWaiting();
  }

  /** A handler has ended, and its reply has been counted. */
  void ended(ServerCall call) {
    long reserved = call.reserved();
    call.reserved(0);
    if (reserved > 0) {
      memory.give(reserved);
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
}
