package io.verbena.core.intercept;

import io.verbena.api.Answer;
import io.verbena.api.CallContext;
import io.verbena.api.CallPhase;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.call.Awaited;
import io.verbena.core.call.PendingCall;
import io.verbena.core.call.SessionCaller;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way through interceptors, and the caller's future. Interceptors may make any number
 * of attempts. When the call ends, attempts under way are cancelled. Safe for use by any thread.
 */
final class InterceptedCall<R> extends CompletableFuture<R> implements Awaited<R> {
  private final SessionCaller caller;
  private final List<ClientInterceptor> interceptors;
  private final MethodDescriptor<R> method;
  private final ArgumentWriter arguments;
  private final @Nullable Landing into;
  private final EventLoop loop;
  private final @Nullable CallContext outer;
  private final long began;
  private final long deadline;

  /**
   * The thread on which attempts may wait for room and send large arguments without a copy; null:
   * none.
   */
  private final @Nullable Thread waits;

  private final List<PendingCall<R>> attempts = new CopyOnWriteArrayList<>();

  private volatile Metadata replyMetadata = Metadata.EMPTY;

  /** Whether the interceptors have returned. Until then the caller's thread has the call. */
  private volatile boolean begun;

  /** Set on the loop. */
  private volatile long timer = Timers.NONE;

  InterceptedCall(
      SessionCaller caller,
      List<ClientInterceptor> interceptors,
      MethodDescriptor<R> method,
      ArgumentWriter arguments,
      @Nullable Landing into,
      boolean waits) {
    this.caller = caller;
    this.interceptors = interceptors;
    this.method = method;
    this.arguments = arguments;
    this.into = into;
    this.loop = caller.calls.loop;
    this.outer = caller.outer();
    this.began = loop.clock().nanoTime();
    this.deadline = caller.deadline(method, outer, began);
    this.waits = waits ? Thread.currentThread() : null;
  }

  void begin() {
    whenComplete((value, failure) -> endAttempts());
    new Way(0, caller.metadata(), deadline)
        .proceed()
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                completeExceptionally(plain(failure));
              } else if (answer == null) {
                completeExceptionally(new NullPointerException("an interceptor's answer is null"));
              } else if (!complete(answer.value())) {
                unclaimed(answer.value());
              }
            });
    begun = true;
    mindDeadline();
  }

  /** The call, as one interceptor sees it. After the last interceptor comes the session. */
  private final class Way implements ClientCall<R> {
    private final int next;
    private final Metadata metadata;
    private final long end;

    Way(int next, Metadata metadata, long end) {
      this.next = next;
      this.metadata = metadata;
      this.end = end;
    }

    @Override
    public MethodDescriptor<R> method() {
      return method;
    }

    @Override
    public Session session() {
      return caller.calls.session;
    }

    @Override
    public Metadata metadata() {
      return metadata;
    }

    @Override
    public Duration remaining() {
      return Duration.ofNanos(Math.max(0, end - loop.clock().nanoTime()));
    }

    @Override
    public Metadata replyMetadata() {
      return replyMetadata;
    }

    @Override
    public CompletionStage<Answer<R>> proceed(Metadata changed) {
      return new Way(next, Checks.required("metadata", changed), end).proceed();
    }

    @Override
    public CompletionStage<Answer<R>> proceed(Metadata changed, Duration timeout) {
      long own = loop.clock().nanoTime() + NanoClock.nanos(Checks.positive("timeout", timeout));
      long sooner = own - end < 0 ? own : end;
      return new Way(next, Checks.required("metadata", changed), sooner).proceed();
    }

    @Override
    public CompletionStage<Answer<R>> proceed() {
      if (InterceptedCall.this.isDone()) {
        String why = "an interceptor proceeded after the end of the call";
        return failedFuture(
            SessionCaller.failure(method, RpcStatus.CANCELLED, why, CallPhase.QUEUED));
      }
      try {
        return next == interceptors.size()
            ? attempt(metadata, end)
            : answered(interceptors.get(next).intercept(new Way(next + 1, metadata, end)));
      } catch (Throwable e) { // interceptors are users' code
        return failedFuture(e);
      }
    }
  }

  private static <R> CompletionStage<Answer<R>> answered(
      @Nullable CompletionStage<Answer<R>> stage) {
    return Objects.requireNonNull(stage, "an interceptor returned null, not a stage");
  }

  private CompletionStage<Answer<R>> attempt(Metadata metadata, long end) {
    Attempt<R> attempt = new Attempt<>();
    boolean callerWaits = Thread.currentThread() == waits;
    PendingCall<R> call =
        caller.begin(
            method,
            arguments,
            callerWaits,
            into,
            beside -> cameAlong(attempt, beside),
            metadata,
            loop.clock().nanoTime(),
            end,
            outer,
            callerWaits);
    attempts.add(call);
    attempt.whenComplete((answer, failure) -> call.cancel(false)); // it ends with its future
    call.whenComplete(
        (value, failure) -> {
          attempt.end(value, failure);
          if (begun) {
            mindDeadline(); // the maker of the attempt has seen its end
          }
        });
    if (isDone()) {
      endAttempts(); // meanwhile
    }
    return attempt;
  }

  private void cameAlong(Attempt<R> attempt, Metadata beside) {
    replyMetadata = beside;
    attempt.metadata = beside;
  }

  /** An attempt, as an interceptor sees it. */
  private static final class Attempt<R> extends CompletableFuture<Answer<R>> {
    private volatile Metadata metadata = Metadata.EMPTY;

    void end(@Nullable R value, @Nullable Throwable failure) {
      if (failure == null) {
        if (!complete(new Answer<>(value, metadata))) {
          unclaimed(value);
        }
      } else {
        completeExceptionally(failure);
      }
    }
  }

  /** A result came after the end of its call. Pooled memory may belong to it. */
  private static void unclaimed(@Nullable Object result) {
    if (result instanceof Received object) {
      object.close();
    }
  }

  private static Throwable plain(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private void endAttempts() {
    for (PendingCall<R> attempt : attempts) {
      attempt.cancel(true);
    }
    if (timer != Timers.NONE) {
      loop.execute(this::stopTimer);
    }
  }

  // ---- the deadline while no attempt watches it ----

  private void mindDeadline() {
    if (!isDone() && attempts.stream().allMatch(PendingCall::isDone)) {
      loop.execute(this::startTimer);
    }
  }

  private void startTimer() {
    if (timer == Timers.NONE && !isDone()) {
      timer = loop.timers().schedule(deadline, now -> expire());
      if (isDone()) {
        stopTimer(); // meanwhile
      }
    }
  }

  private void stopTimer() {
    loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  private void expire() {
    timer = Timers.NONE;
    String why =
        "its deadline of %d ms passed while an interceptor held it"
            .formatted(Math.ceilDiv(deadline - began, 1_000_000));
    CallPhase phase = attempts.isEmpty() ? CallPhase.QUEUED : CallPhase.SENT;
    completeExceptionally(SessionCaller.failure(method, RpcStatus.DEADLINE_EXCEEDED, why, phase));
  }

  // ---- one-way calls ----

  /** Returns whether the sender waits until the call has left. */
  boolean isAwaitedBySender() {
    return attempts.stream().anyMatch(PendingCall::senderWaits);
  }

  /** Counts the call if it does not leave, because no caller would notice. */
  void reportUnsent() {
    whenComplete(
        (value, failure) -> {
          if (failure != null && attempts.isEmpty()) {
            RpcException told =
                failure instanceof RpcException known
                    ? known
                    : SessionCaller.failure(
                        method, RpcStatus.CANCELLED, String.valueOf(failure), CallPhase.QUEUED);
            caller.onewayUnsent(told);
          }
        });
  }

  // ---- waiting callers ----

  @Override
  public long nanosLeft() {
    return deadline - loop.clock().nanoTime();
  }

  @Override
  public void awaitLandingFree() {
    for (PendingCall<R> attempt : attempts) {
      attempt.cancel(true);
      attempt.awaitLandingFree();
    }
  }

  @Override
  public void awaitArgumentsFree() {
    awaitLandingFree(); // also after an interceptor's own answer
    attempts.forEach(PendingCall::awaitArgumentsFree);
  }
}
