package io.verbena.core.call;

import io.verbena.api.RpcStatus;
import io.verbena.core.call.CallCounters.What;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Timers;
import io.verbena.core.session.ControlFrame;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The one-way calls that the peer has under way here. Nobody waits for their results: so they wait
 * for a handler's thread where there is none, and go on when their session has ended. Their places
 * in the peer's window, which it has back when they are done, are what pushes back.
 */
public final class IncomingOneways implements Participant, Timers.Timer {
  private static final ThrottledLog DROPPED =
      ThrottledLog.of(IncomingOneways.class, "one-way calls that were dropped");
  private static final ThrottledLog FAILED =
      ThrottledLog.of(IncomingOneways.class, "one-way calls that failed");

  /** Many places are given back at a time, since nobody waits for one; but not much later. */
  private static final long LONGEST_DELAY_NANOS = 20_000_000;

  /** So many of a client or server: a peer that comes again and again may not leave more. */
  private static final int MOST_ORPHANS = 16_384;

  private static final long FIRST_RETRY_NANOS = 1_000_000;
  private static final long LONGEST_RETRY_NANOS = 50_000_000;

  private final SessionImpl session;
  private final Calls shared;

  /** Calls that the executor had no thread for, in the order in which they came. */
  private final ArrayDeque<ServerCall> waiting = new ArrayDeque<>();

  /** Calls whose session has ended meanwhile. */
  private final Set<ServerCall> orphans = new HashSet<>();

  private int done;
  private int refused;
  private @Nullable String whyRefused;
  private long timer = Timers.NONE;
  private long retryTimer = Timers.NONE;
  private long retryNanos = FIRST_RETRY_NANOS;

  IncomingOneways(Calls shared) {
    this.session = shared.session;
    this.shared = shared;
  }

  // ---- the executor ----

  /**
   * Has a call's handler run. One-way calls wait where there is no thread for it, and what comes
   * behind them is behind them. An executor that throws has no thread; where it takes what it was
   * given all the same, the call itself sees to it that it runs once.
   *
   * @throws RejectedExecutionException if calls before it wait; else whatever the executor throws
   */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  void execute(ServerCall call) {
    runWaiting();
    boolean waits = call.method.oneway() && !isShutDown();
    if (waiting.isEmpty()) {
      try {
        session.context().handlers().execute(call);
        return;
      } catch (Throwable e) { // an executor is users' code
        if (!waits) {
          throw e;
        }
      }
    } else if (!waits) {
      throw new RejectedExecutionException("calls before it wait for a thread");
    }
    waiting.add(call);
    retryLater();
  }

  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  private boolean started(ServerCall call) {
    try {
      session.context().handlers().execute(call);
      return true;
    } catch (Throwable e) {
      return false;
    }
  }

  private boolean isShutDown() {
    return session.context().handlers() instanceof ExecutorService executor
        && executor.isShutdown();
  }

  /** Has calls run that waited for a thread. */
  private void runWaiting() {
    while (!waiting.isEmpty() && started(waiting.peekFirst())) {
      waiting.removeFirst();
      retryNanos = FIRST_RETRY_NANOS;
    }
  }

  private void retryLater() {
    if (retryTimer == Timers.NONE) {
      long at = shared.loop.now() + retryNanos;
      retryNanos = Math.min(2 * retryNanos, LONGEST_RETRY_NANOS);
      retryTimer = shared.loop.timers().schedule(at, now -> retry());
    }
  }

  private void retry() {
    retryTimer = Timers.NONE;
    runWaiting();
    if (!waiting.isEmpty() && isShutDown()) {
      dropWaiting("the executor of handlers was shut down");
    } else if (!waiting.isEmpty()) {
      retryLater();
    }
  }

  private void dropWaiting(String why) {
    List<ServerCall> dropped = List.copyOf(waiting);
    waiting.clear();
    dropped.forEach(call -> call.refuse(RpcStatus.UNAVAILABLE, why));
  }

  // ---- what becomes of them ----

  /**
   * A call is over: its handler has ended, or it was refused.
   *
   * @param ofThisPeer whether the peer that made it is still there
   */
  void over(ServerCall call, boolean ofThisPeer) {
    if (orphans.remove(call)) {
      shared.counters.orphans(-1);
    }
    String problem = call.takeProblem();
    if (problem != null && call.wasRefused()) {
      drop(problem);
    } else if (problem != null) {
      shared.counters.add(What.FAILED, 1);
      tellFailure(call, problem);
    }
    if (ofThisPeer) {
      done(problem != null && call.wasRefused() ? problem : null);
    }
    if (!waiting.isEmpty()) {
      runWaiting();
    }
  }

  private void tellFailure(ServerCall call, String problem) {
    String which = call.method.fullName() + " by " + session.name();
    Throwable bug = call.takeBug();
    if (bug == null) {
      FAILED.warn("The one-way call {} failed: {}", which, problem);
    } else {
      FAILED.warn("The one-way call {} failed", which, bug);
    }
  }

  /** The peer of a call is gone; the call goes on, unless too many do so. */
  void orphaned(ServerCall call) {
    if (shared.counters.orphans(1) > MOST_ORPHANS) {
      shared.counters.orphans(-1);
      call.cancel();
    } else {
      orphans.add(call);
    }
  }

  boolean hasOrphans() {
    return !orphans.isEmpty();
  }

  /** The peer is gone: it has no places to be given back. */
  void forgetPlaces() {
    forgetDone();
    shared.loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  /** Calls go on without their session, unless it was closed on this side. */
  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    if (forGood && status == RpcStatus.CANCELLED) {
      end();
    }
  }

  /** This end is closed: nothing goes on. */
  public void end() {
    dropWaiting("the session was closed here");
    List.copyOf(orphans).forEach(ServerCall::cancel);
  }

  /** A call of the peer's is not executed. */
  void refused(String why) {
    drop(why);
    done(why);
  }

  /** A call is not executed, and its peer not told. */
  void drop(String why) {
    shared.counters.add(What.REFUSED, 1);
    DROPPED.warn("A one-way call by {} was dropped: {}", session.name(), why);
  }

  private void done(@Nullable String refusal) {
    done++;
    if (refusal != null) {
      refused++;
      whyRefused = refusal;
    }
    if (done >= shared.maxCalls / 8) {
      tell();
    } else if (timer == Timers.NONE) {
      timer = shared.loop.timers().schedule(shared.loop.now() + LONGEST_DELAY_NANOS, this);
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    tell();
  }

  @Override
  public void peerDrains(String reason) {
    tell();
  }

  @Override
  public void lastWords() {
    tell();
  }

  /** Gives the peer places back. */
  private void tell() {
    if (done == 0) {
      return;
    }
    int all = done;
    int dropped = refused;
    String why = String.valueOf(whyRefused);
    session.enqueue(
        ControlFrame.message(
            FrameKind.ONEWAY_DONE,
            0,
            out -> {
              out.writeVarInt(all);
              out.writeVarInt(dropped);
              if (dropped > 0) {
                out.writeString(why);
              }
            }));
    forgetDone();
  }

  private void forgetDone() {
    done = 0;
    refused = 0;
    whyRefused = null;
  }
}
