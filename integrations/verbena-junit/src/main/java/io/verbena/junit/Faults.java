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
 * Faults for the calls of the test's client. A fault applies to calls that are made after it was
 * set. Several faults of one method apply in the order in which they were set. Safe for use by any
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
   * Begins the definition of a fault of one method.
   *
   * @param method {@code service/method}, such as {@code store.v1/get}
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

  /** Removes all faults. Calls that are already delayed stay delayed. */
  public void clear() {
    faults.clear();
  }

  /** Returns the interceptor of the client's calls. */
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

  /**
   * A fault that is being defined: its method, and the number of calls that it applies to.
   * Immutable.
   */
  public final class On {
    private final String method;
    private final int times;

    private On(String method, int times) {
      this.method = method;
      this.times = times;
    }

    /**
     * Limits the number of calls that meet the fault. Without a limit, every call does.
     *
     * @param calls at least 1
     */
    public On times(int calls) {
      if (calls < 1) {
        throw new IllegalArgumentException("a fault applies to at least 1 call, not " + calls);
      }
      return new On(method, calls);
    }

    /**
     * Makes the call fail. With NOT_EXECUTED the handler does not run. Otherwise the handler runs
     * and its answer is lost, so that the test sees the effect of a second attempt.
     */
    public void fail(RpcStatus status, Execution execution) {
      faults.add(new Fault(method, new Failing(status, execution), times));
    }

    /**
     * Delays the call before it is sent. Its deadline stays the same.
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

  /** The effect of a fault on a call. */
  private sealed interface Effect {
    <R> CompletionStage<Answer<R>> on(ClientCall<R> call, Next<R> next);
  }

  /** Makes the call, through the other faults that it meets. */
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
          method + ": " + status + ", " + execution + ", as the test's fault requires",
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

  /** A fault, and the number of calls that may still meet it. */
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
