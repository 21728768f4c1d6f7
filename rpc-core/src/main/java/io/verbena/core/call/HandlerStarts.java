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
 * When the handlers of one session's calls start: in the order of their calls, and at once, while
 * there is memory for their replies. A peer that takes no replies has its further calls wait; what
 * runs already is answered, whatever that takes.
 *
 * <p>What a reply takes is known from the method's replies before: a handler reserves it twice, for
 * the result and for its encoding. Where the method has never replied it does so when its thread is
 * about to run, by when others may have; if there is not so much, it is put off. One handler always
 * runs, so that a session whose part is small goes on, a reply at a time. A call whose arguments
 * are read beside the loop keeps its turn, and has those behind it wait. On the loop, but {@link
 * #mayRun}.
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

  /** Returns whether a call's handler may start now; else it is started later. */
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

  /** Returns whether some wait. */
  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /** A call has its turn, and those behind it wait, until its arguments have been read. */
  void awaitReading(ServerCall call) {
    await(call);
  }

  /** A call's arguments have been read; it starts in its turn. */
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

  /** A call whose arguments were to be read is over. */
  void forget(ServerCall call) {
    waiting.remove(call);
  }

  /** Starts those that wait and may start now. */
  void startWaiting() {
    while (!waiting.isEmpty() && waiting.peek().isHandled() && admits(waiting.peek())) {
      place.leave();
      waiting.remove().startLate();
    }
  }

  private boolean admits(ServerCall call) {
    if (outbox.owedBytes() > maxKeptBytes) {
      return false; // the next acknowledgement brings the next look
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
   * Returns whether a handler may run that was started before it was known what its reply takes;
   * else it is to be {@link #putOff}. On the handler's thread.
   */
  boolean mayRun(ServerCall call) {
    long expected = call.expectedReply();
    return call.reserved() != Method.UNKNOWN || expected <= 0 || reserves(call, expected);
  }

  /** A handler may not run now. */
  void putOff(ServerCall call) {
    call.reserved(0);
    call.awaitsPeer();
    await(call);
    startWaiting();
  }

  /** A handler is done, and its reply counted. */
  void ended(ServerCall call) {
    long reserved = call.reserved();
    call.reserved(0);
    if (reserved > 0) {
      memory.give(reserved);
    }
  }

  /** Nobody waits for those that have not started; those that nobody waited for start. */
  void peerLost() {
    List<ServerCall> left =
        waiting.stream().sorted(Comparator.comparingLong(call -> call.id)).toList();
    waiting.clear();
    place.leave();
    for (ServerCall call : left) {
      if (!call.isHandled()) {
        continue; // until it has been read
      }
      if (call.method.oneway()) {
        call.startLate();
      } else {
        call.close();
      }
    }
  }
}
