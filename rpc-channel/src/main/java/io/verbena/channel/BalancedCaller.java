package io.verbena.channel;

import io.verbena.api.AttemptNumber;
import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of one stub over a channel. A blocking call makes its attempts one after the
 * other, on its caller's thread. A blocking call that may be hedged is an async call, whose caller
 * waits for it. Safe for use by any thread.
 */
final class BalancedCaller implements ServiceCaller {
  private static final long LATEST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private final BalancedChannel channel;
  private final ServiceDescriptor<?> service;
  private final CallOptions options;
  private final Map<Member, ServiceCaller> callers = new ConcurrentHashMap<>();

  BalancedCaller(BalancedChannel channel, ServiceDescriptor<?> service, CallOptions options) {
    this.channel = channel;
    this.service = service;
    this.options = options;
  }

  /** Makes one attempt, and waits for its end. */
  @FunctionalInterface
  private interface Attempt<T> {
    @Nullable T by(ServiceCaller caller) throws Exception;
  }

  @Override
  public <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments)
      throws Exception {
    if (!mayHedge(method)) {
      return attempts(plan(method, false), caller -> caller.call(method, arguments));
    }
    if (channel.client().isOnEventLoop()) {
      throw new IllegalStateException(
          method.fullName()
              + " was called blocking on the event loop, by a nonBlocking handler or a callback of"
              + " an async call. Use the async client there.");
    }
    return awaited(begin(method, false, caller -> caller.submit(method, arguments)));
  }

  @Override
  public Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments)
      throws Exception {
    return Objects.requireNonNull(
        attempts(plan(method, true), caller -> caller.call(method, into, arguments)), "an object");
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    return begin(method, false, caller -> caller.submit(method, arguments));
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    return begin(method, true, caller -> caller.submit(method, into, arguments));
  }

  @Override
  public void send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    try {
      attempts(
          plan(method, false),
          caller -> {
            caller.send(method, arguments);
            return null;
          });
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(method.fullName() + " is one-way, but failed: " + e, e);
    }
  }

  // ---- one after the other, on the caller's thread ----

  private <T> @Nullable T attempts(CallPlan plan, Attempt<T> attempt) throws Exception {
    channel.counters().calls.increment();
    while (true) {
      Member member = await(plan);
      ServiceCaller caller = caller(member, plan);
      plan.begin(member);
      Throwable met = null;
      long delay;
      try {
        @Nullable T result = attempt.by(caller);
        channel.answered();
        return result;
      } catch (RpcException e) {
        met = e;
        RpcException failure = plan.met(member, e);
        delay = plan.afterFailure(failure);
        if (delay == CallPlan.GIVE_UP) {
          throw plan.outcome(failure);
        }
      } catch (RuntimeException | Error e) {
        met = e; // a failure of this end
        throw e;
      } catch (Exception e) {
        channel.answered(); // a declared exception
        throw e;
      } finally {
        member.end(met);
      }
      pause(plan, delay);
    }
  }

  /** Waits until there is a server for the call. */
  private Member await(CallPlan plan) {
    while (true) {
      switch (plan.pick()) {
        case Members.Pick.Found(Member member) -> {
          return member;
        }
        case Members.Pick.None(String why, boolean closed) -> throw plan.noServer(why, closed);
        case Members.Pick.Later(CompletableFuture<Void> change) -> waitFor(plan, change);
      }
    }
  }

  private void waitFor(CallPlan plan, CompletableFuture<Void> change) {
    if (channel.client().isOnEventLoop()) {
      throw plan.failure(
          RpcStatus.UNAVAILABLE, "no server is ready yet, and an event loop does not wait");
    }
    long left = plan.left();
    try {
      if (left <= 0) {
        throw plan.late();
      }
      change.get(left, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw plan.failure(RpcStatus.CANCELLED, "its caller was interrupted");
    } catch (TimeoutException e) {
      throw plan.late();
    } catch (ExecutionException e) {
      throw new AssertionError("a change does not fail", e);
    }
  }

  /** Waits before the next attempt. */
  private void pause(CallPlan plan, long nanos) {
    if (nanos == 0 || channel.client().isOnEventLoop()) {
      return;
    }
    CompletableFuture<Void> over = new CompletableFuture<>();
    Runnable withdraw = channel.settings().time().after(nanos, () -> over.complete(null));
    try {
      over.get(nanos + LATEST_NANOS, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      withdraw.run(); // the time is over, whichever of the two said so
    } catch (InterruptedException e) {
      withdraw.run();
      Thread.currentThread().interrupt();
      throw plan.failure(RpcStatus.CANCELLED, "its caller was interrupted between two attempts");
    } catch (ExecutionException e) {
      throw new AssertionError("a timer does not fail", e);
    }
  }

  // ---- several at once ----

  private <R> BalancedCall<R> begin(
      MethodDescriptor<R> method, boolean lands, BalancedCall.Attempt<R> attempt) {
    channel.counters().calls.increment();
    long hedge = lands || !mayHedge(method) ? 0 : channel.settings().hedgeNanos();
    BalancedCall<R> call = new BalancedCall<>(channel, this, plan(method, lands), attempt, hedge);
    call.begin();
    return call;
  }

  private boolean mayHedge(MethodDescriptor<?> method) {
    return method.idempotent() && channel.settings().hedgeNanos() > 0;
  }

  private static <R> @Nullable R awaited(BalancedCall<R> call) throws Exception {
    try {
      return call.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw call.giveUp(RpcStatus.CANCELLED, "its caller was interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        cause.fillInStackTrace();
        throw cause;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }

  // ---- what both need ----

  private CallPlan plan(MethodDescriptor<?> method, boolean lands) {
    long timeout = timeout(method);
    CallContext outer = CallContext.currentOrNull();
    if (outer != null) {
      timeout = Math.min(timeout, NanoClock.nanos(outer.remaining()));
    }
    long deadline = channel.settings().time().nanoTime() + timeout;
    return new CallPlan(channel, method, options.metadata(), lands, deadline);
  }

  private long timeout(MethodDescriptor<?> method) {
    Duration own = options.timeout();
    if (own != null) {
      return NanoClock.nanos(own);
    }
    return method.timeoutNanos() > 0
        ? Math.min(method.timeoutNanos(), NanoClock.LONGEST_NANOS)
        : channel.defaultTimeoutNanos();
  }

  /**
   * Returns the caller of the next attempt. An attempt has the time that is left until the
   * deadline, and sends its number.
   */
  ServiceCaller caller(Member member, CallPlan plan) {
    if (plan.differs()) {
      Duration limit = Duration.ofNanos(plan.attemptNanos());
      int number = plan.nextAttempt();
      CallOptions own = options.withTimeout(limit);
      return member
          .session()
          .caller(
              service,
              number == 1 ? own : own.withMetadata(AttemptNumber.mark(options.metadata(), number)));
    }
    ServiceCaller known = callers.get(member);
    if (known != null) {
      return known;
    }
    callers.keySet().removeIf(Member::isRetired);
    return Objects.requireNonNull(
        callers.computeIfAbsent(member, now -> now.session().caller(service, options)));
  }
}
