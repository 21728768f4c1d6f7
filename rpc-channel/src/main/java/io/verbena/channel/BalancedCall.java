package io.verbena.channel;

import io.verbena.api.CallPhase;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ServiceCaller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An async call over a channel, and the future that its caller holds. When the future completes, in
 * any way, attempts that are still under way are cancelled. Safe for use by any thread.
 */
final class BalancedCall<R> extends CompletableFuture<R> {
  private static final long LOOP_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final BalancedChannel channel;
  private final BalancedCaller caller;
  private final Attempt<R> attempt;
  private final long hedgeNanos;
  private final Runnable lookAgain = this::next;
  private final Object lock = new Object();

  // ---- under the lock ----
  private final CallPlan plan;
  private final List<CompletableFuture<R>> underWay = new ArrayList<>(1);
  private final List<Runnable> timers = new ArrayList<>(1);
  private boolean hedgePlanned;
  private boolean deadlineMinded;

  /** Makes one attempt; returns at once. */
  @FunctionalInterface
  interface Attempt<R> {
    CompletionStage<R> by(ServiceCaller caller);
  }

  BalancedCall(
      BalancedChannel channel,
      BalancedCaller caller,
      CallPlan plan,
      Attempt<R> attempt,
      long hedgeNanos) {
    this.channel = channel;
    this.caller = caller;
    this.plan = plan;
    this.attempt = attempt;
    this.hedgeNanos = hedgeNanos;
  }

  /**
   * Waits for the result. The wait is bounded by the deadline. If the event loop that watches the
   * deadline is stuck, the call is given up 5 s later.
   */
  @Nullable R await() throws InterruptedException, ExecutionException {
    long left;
    while ((left = plan.left()) > -LOOP_PATIENCE_NANOS) {
      try {
        return get(left + LOOP_PATIENCE_NANOS, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        // The channel's clock may differ from the machine's.
      }
    }
    throw giveUp(
        RpcStatus.DEADLINE_EXCEEDED,
        "no event loop has answered since the call's deadline, 5 s ago: a nonBlocking handler or a"
            + " callback of an async call blocks it");
  }

  /** Cancels the call; returns its failure. */
  RpcException giveUp(RpcStatus status, String why) {
    cancel(true);
    return plan.failure(status, why, CallPhase.SENT);
  }

  void begin() {
    whenComplete((value, failure) -> end());
    next();
  }

  /** Makes an attempt, now or as soon as there is a server. */
  void next() {
    if (isDone()) {
      return;
    }
    Members.Pick pick;
    synchronized (lock) {
      pick = plan.pick();
    }
    switch (pick) {
      case Members.Pick.Found(Member member) -> attempt(member);
      case Members.Pick.None(String why, boolean closed) -> fail(() -> plan.noServer(why, closed));
      case Members.Pick.Later(CompletableFuture<Void> change) -> {
        mindDeadline();
        channel.members().await(lookAgain, change);
        if (isDone()) {
          channel.members().forget(lookAgain); // the call ended meanwhile
        }
      }
    }
  }

  /** Watches the deadline as long as no attempt does. */
  private void mindDeadline() {
    synchronized (lock) {
      if (deadlineMinded) {
        return;
      }
      deadlineMinded = true;
    }
    after(plan.left(), this::expire);
  }

  /**
   * Ends the call, unless an attempt is under way: that attempt has the same deadline, and its
   * failure says more.
   */
  private void expire() {
    boolean waits;
    synchronized (lock) {
      waits = underWay.isEmpty();
    }
    if (waits) {
      fail(plan::late);
    }
  }

  private void fail(Supplier<RpcException> why) {
    RpcException failure;
    synchronized (lock) {
      failure = why.get();
    }
    completeExceptionally(failure);
  }

  private void attempt(Member member) {
    CompletableFuture<R> begun;
    ServiceCaller by;
    synchronized (lock) {
      by = caller.caller(member, plan);
      plan.begin(member);
    }
    try {
      begun = attempt.by(by).toCompletableFuture();
    } catch (RuntimeException | Error e) { // from a serializer, or from this end
      member.end(e);
      completeExceptionally(e);
      return;
    }
    synchronized (lock) {
      underWay.add(begun);
    }
    begun.whenComplete((value, failure) -> ended(member, begun, value, failure));
    if (isDone()) {
      begun.cancel(true); // the call ended meanwhile
    } else if (hedgeNanos > 0 && !begun.isDone()) {
      planHedge();
    }
  }

  private void ended(
      Member member, CompletableFuture<R> attempt, @Nullable R value, @Nullable Throwable failure) {
    // Declared exceptions are answers, too.
    boolean answered = !(failure instanceof RuntimeException || failure instanceof Error);
    member.end(answered ? null : failure);
    boolean alone;
    RpcException met = null;
    synchronized (lock) {
      underWay.removeIf(one -> one == attempt);
      alone = underWay.isEmpty();
      if (failure instanceof RpcException rpc) {
        met = plan.met(member, rpc);
      }
    }
    if (answered && !isDone()) {
      channel.answered();
    }
    if (failure == null) {
      if (!complete(value) && value instanceof Received unclaimed) {
        unclaimed.close(); // the call had ended, and pooled memory may belong to the object
      }
    } else if (isDone()) {
      return;
    } else if (met != null) {
      if (alone || !(plan.mayRetry(met) || CallPlan.mayMove(met))) {
        failed(met);
      }
    } else if (!(failure instanceof CancellationException) || alone) {
      completeExceptionally(failure);
    }
  }

  private void failed(RpcException failure) {
    long delay;
    synchronized (lock) {
      delay = plan.afterFailure(failure);
    }
    if (delay == CallPlan.GIVE_UP) {
      fail(() -> plan.outcome(failure));
    } else if (delay == 0) {
      next();
    } else {
      after(delay, this::next);
    }
  }

  private void planHedge() {
    synchronized (lock) {
      if (hedgePlanned) {
        return;
      }
      hedgePlanned = true;
    }
    after(hedgeNanos, this::hedge);
  }

  private void hedge() {
    Member other = null;
    synchronized (lock) {
      if (!isDone() && !underWay.isEmpty()) {
        other = plan.hedge();
      }
    }
    if (other != null) {
      attempt(other);
    }
  }

  private void after(long nanos, Runnable action) {
    Runnable withdraw = channel.settings().time().after(nanos, action);
    synchronized (lock) {
      timers.add(withdraw);
    }
    if (isDone()) {
      withdraw.run(); // the call ended meanwhile
    }
  }

  private void end() {
    channel.members().forget(lookAgain);
    List<Runnable> withdrawn;
    List<CompletableFuture<R>> cancelled;
    synchronized (lock) {
      withdrawn = List.copyOf(timers);
      cancelled = List.copyOf(underWay);
    }
    withdrawn.forEach(Runnable::run);
    cancelled.forEach(one -> one.cancel(true));
  }
}
