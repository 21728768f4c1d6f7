package io.verbena.junit;

import io.verbena.api.Answer;
import io.verbena.api.CallPhase;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * What goes wrong with the calls that the test's client makes. Each fault holds for the calls made
 * after it was set; of several for one method, the one set first comes first. Safe for use by any
 * thread.
 *
 * <pre>{@code
 * verbena.faults().on("store.v1/get").times(1).fail(RpcStatus.UNAVAILABLE, Execution.NOT_EXECUTED);
 * }</pre>
 */
public final class Faults {
  private final Set<String> methods;
  private final Delays delays;
  private final List<Fault> faults = new CopyOnWriteArrayList<>();

  Faults(List<ServiceBinding> services, Delays delays) {
    this.delays = delays;
    this.methods =
        services.stream()
            .flatMap(binding -> binding.service().methods().stream())
            .map(MethodDescriptor::fullName)
            .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Begins a fault of one method.
   *
   * @param method {@code service/method}, as {@code store.v1/get}
   * @throws IllegalArgumentException if no such method is served
   */
  public On on(String method) {
    if (!methods.contains(method)) {
      throw new IllegalArgumentException(
          "no method %s is served here, only %s"
              .formatted(method, methods.stream().sorted().toList()));
    }
    return new On(method, Integer.MAX_VALUE);
  }

  /** Ends all faults; calls that one delays stay delayed. */
  public void clear() {
    faults.clear();
  }

  /** Returns what the client's calls pass. */
  ClientInterceptor interceptor() {
    return new ClientInterceptor() {
      @Override
      public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
        List<Fault> met = faults.stream().filter(fault -> fault.takes(call)).toList();
        return meet(met, call);
      }
    };
  }

  private static <R> CompletionStage<Answer<R>> meet(List<Fault> faults, ClientCall<R> call) {
    if (faults.isEmpty()) {
      return call.proceed();
    }
    List<Fault> others = faults.subList(1, faults.size());
    return faults.getFirst().effect.on(call, () -> meet(others, call));
  }

  /** Where a fault is to be, and how often. Immutable. */
  public final class On {
    private final String method;
    private final int times;

    private On(String method, int times) {
      this.method = method;
      this.times = times;
    }

    /**
     * Has only so many calls meet the fault; without, every one does.
     *
     * @param calls at least 1
     */
    public On times(int calls) {
      if (calls < 1) {
        throw new IllegalArgumentException("a fault is met at least 1 time, not " + calls);
      }
      return new On(method, calls);
    }

    /**
     * Has the call fail. Where it is to be NOT_EXECUTED, the handler does not run. Else the handler
     * runs, and what it answers is lost: so the test sees what a second attempt would do.
     */
    public void fail(RpcStatus status, Execution execution) {
      faults.add(new Fault(method, new Failing(status, execution), times));
    }

    /**
     * Has the call leave later. Its deadline goes on.
     *
     * @param time more than 0
     */
    public void delay(Duration time) {
      if (time.isNegative() || time.isZero()) {
        throw new IllegalArgumentException("a delay is longer than 0, not " + time);
      }
      faults.add(new Fault(method, new Delaying(delays, time), times));
    }
  }

  /** What becomes of a call. */
  private sealed interface Effect {
    <R> CompletionStage<Answer<R>> on(ClientCall<R> call, Next<R> next);
  }

  /** Makes the call, by way of the other faults that it meets. */
  @FunctionalInterface
  private interface Next<R> {
    CompletionStage<Answer<R>> proceed();
  }

  private record Delaying(Delays delays, Duration time) implements Effect {
    @Override
    public <R> CompletionStage<Answer<R>> on(ClientCall<R> call, Next<R> next) {
      return delays.after(time).thenCompose(passed -> next.proceed());
    }
  }

  private record Failing(RpcStatus status, Execution execution) implements Effect {
    @Override
    public <R> CompletionStage<Answer<R>> on(ClientCall<R> call, Next<R> next) {
      CompletionStage<Answer<R>> failed = CompletableFuture.failedStage(failureOf(call));
      return execution == Execution.NOT_EXECUTED
          ? failed
          : next.proceed().handle((answer, failure) -> failed).thenCompose(stage -> stage);
    }

    private RpcException failureOf(ClientCall<?> call) {
      MethodDescriptor<?> method = call.method();
      return new RpcException(
          status,
          method + ": " + status + ", " + execution + ", as the test's fault wants it",
          switch (execution) {
            case NOT_EXECUTED -> CallPhase.QUEUED;
            case UNKNOWN -> CallPhase.SENT;
            case EXECUTED -> CallPhase.REPLIED;
          },
          execution,
          method.idempotent(),
          null,
          null);
    }
  }

  /** A fault, and how many more calls meet it. */
  private static final class Fault {
    private final String method;
    private final Effect effect;
    private final AtomicInteger left;

    Fault(String method, Effect effect, int times) {
      this.method = method;
      this.effect = effect;
      this.left = new AtomicInteger(times);
    }

    boolean takes(ClientCall<?> call) {
      return method.equals(call.method().fullName())
          && left.getAndUpdate(calls -> Math.max(0, calls - 1)) > 0;
    }
  }
}
