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
 * The peer's one-way calls in progress at this end. They have no results. So they wait if there is
 * no thread for a handler, and they continue when their session has ended. The peer gets its places
 * in the window back when they are done, which limits its rate.
 */
public final class IncomingOneways implements Participant, Timers.Timer {
  private static final ThrottledLog DROPPED =
      ThrottledLog.of(IncomingOneways.class, "one-way calls that were dropped");
  private static final ThrottledLog FAILED =
      ThrottledLog.of(IncomingOneways.class, "one-way calls that failed");

  /**
   * Places are returned in batches, because no caller waits for one, but after a short delay at
   * most.
   */
  private static final long LONGEST_DELAY_NANOS = 20_000_000;

  /**
   * The limit for one client or server, so that a peer that reconnects again and again cannot leave
   * more.
   */
  private static final int MOST_ORPHANS = 16_384;

  private static final long FIRST_RETRY_NANOS = 1_000_000;
  private static final long LONGEST_RETRY_NANOS = 50_000_000;

  private final SessionImpl session;
  private final Calls calls;

  /** Calls for which the executor had no thread, in the order of arrival. */
  private final ArrayDeque<ServerCall> waiting = new ArrayDeque<>();

  /** Calls whose session has ended meanwhile. */
  private final Set<ServerCall> orphans = new HashSet<>();

  private int done;
  private int refused;
  private @Nullable String whyRefused;
  private long timer = Timers.NONE;
  private long retryTimer = Timers.NONE;
  private long retryNanos = FIRST_RETRY_NANOS;

  IncomingOneways(Calls calls) {
    this.session = calls.session;
    this.calls = calls;
  }

  // ---- the executor ----

  /**
   * Runs a call's handler. A one-way call waits if there is no thread, and later calls wait after
   * it. An executor that throws has no thread. If it runs the task nevertheless, the call itself
   * ensures that it runs once.
   *
   * @throws RejectedExecutionException if earlier calls wait; otherwise the exception of the
   *     executor
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

  /** Runs calls that waited for a thread. */
  private void runWaiting() {
    while (!waiting.isEmpty() && started(waiting.peekFirst())) {
      waiting.removeFirst();
      retryNanos = FIRST_RETRY_NANOS;
    }
  }

  private void retryLater() {
    if (retryTimer == Timers.NONE) {
      long at = calls.loop.now() + retryNanos;
      retryNanos = Math.min(2 * retryNanos, LONGEST_RETRY_NANOS);
      retryTimer = calls.loop.timers().schedule(at, now -> retry());
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

  // ---- the end of calls ----

  /**
   * A call is over, because its handler has ended or it was refused.
   *
   * @param ofThisPeer whether the peer that made it is still connected
   */
  void over(ServerCall call, boolean ofThisPeer) {
    if (orphans.remove(call)) {
      calls.counters.orphans(-1);
    }
    String problem = call.takeProblem();
    if (problem != null && call.wasRefused()) {
      drop(problem);
    } else if (problem != null) {
      calls.counters.add(What.FAILED, 1);
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

  /** The peer of a call is gone. The call continues, unless there are too many such calls. */
  void orphaned(ServerCall call) {
    if (calls.counters.orphans(1) > MOST_ORPHANS) {
      calls.counters.orphans(-1);
      call.cancel();
    } else {
      orphans.add(call);
    }
  }

  boolean hasOrphans() {
    return !orphans.isEmpty();
  }

  /** The peer is gone, so no places are returned. */
  void forgetPlaces() {
    forgetDone();
    calls.loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  /** Calls continue without their session, unless it was closed on this side. */
  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    if (forGood && status == RpcStatus.CANCELLED) {
      end();
    }
  }

  /** This end is closed. No call continues. */
  public void end() {
    dropWaiting("the session was closed here");
    List.copyOf(orphans).forEach(ServerCall::cancel);
  }

  /** A call of the peer is not executed. */
  void refused(String why) {
    drop(why);
    done(why);
  }

  /** A call is not executed, and its peer is not notified. */
  void drop(String why) {
    calls.counters.add(What.REFUSED, 1);
    DROPPED.warn("A one-way call by {} was dropped: {}", session.name(), why);
  }

  private void done(@Nullable String refusal) {
    done++;
    if (refusal != null) {
      refused++;
      whyRefused = refusal;
    }
    if (done >= calls.maxCalls / 8) {
      tell();
    } else if (timer == Timers.NONE) {
      timer = calls.loop.timers().schedule(calls.loop.now() + LONGEST_DELAY_NANOS, this);
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

  /** Returns places to the peer. */
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
