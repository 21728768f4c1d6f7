package io.verbena.core.intercept;

import io.verbena.api.ServerInterceptor;
import io.verbena.api.bulk.Received;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireOut;
import io.verbena.core.call.ReplyMessage;
import io.verbena.core.call.ServerCall;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The way of one call through the interceptors of its handler. On the handler's thread. */
final class Interception implements ServerCall.GuardedHandler, Reply {
  private final ServerCall call;
  private final List<ServerInterceptor> interceptors;
  private final Handler handler;
  private final Step first;
  private boolean began;
  private boolean returned;
  private @Nullable Exception declared;
  private @Nullable Exception failure;
  private @Nullable Thread thread;

  /**
   * The suspected cause of a value with the wrong type: an interceptor. Null if it may be the user.
   */
  private @Nullable String doubted;

  /** The step after all interceptors that run; null before. */
  private @Nullable Step last;

  Interception(
      ServerCall call,
      List<ServerInterceptor> interceptors,
      Handler handler,
      @Nullable Object[] arguments) {
    this.call = call;
    this.interceptors = interceptors;
    this.handler = handler;
    this.first = new Step(0, null, arguments);
  }

  /** Runs all interceptors. Returns only if the handler has answered. */
  @Override
  public void run(Reply reply) throws Exception {
    thread = Thread.currentThread();
    first.run();
    if (!returned) {
      throw new IllegalStateException(
          "an interceptor of " + call.method() + " has hidden the outcome of the next step",
          failure);
    }
  }

  @Override
  public boolean hasRun() {
    return began;
  }

  /** The interceptors from one on, and the handler after them. */
  private final class Step implements ServerInterceptor.Next {
    private final int index;
    private final @Nullable Step before;
    private @Nullable Object[] arguments;
    private @Nullable UnaryOperator<@Nullable Object> change;
    private boolean used;
    private boolean over;
    private boolean answers;
    private @Nullable Object answer;

    Step(int index, @Nullable Step before, @Nullable Object[] arguments) {
      this.index = index;
      this.before = before;
      this.arguments = arguments;
    }

    @Override
    public List<@Nullable Object> arguments() {
      return Collections.unmodifiableList(Arrays.asList(arguments));
    }

    @Override
    public void arguments(List<?> arguments) {
      requireUnused("arguments(…) must be called before run()");
      Checks.required("arguments", arguments);
      if (arguments.size() != this.arguments.length) {
        throw new IllegalArgumentException(
            "%s takes %d arguments, but an interceptor passed on %d"
                .formatted(call.method(), this.arguments.length, arguments.size()));
      }
      this.arguments = arguments.toArray();
    }

    @Override
    public void onResult(UnaryOperator<@Nullable Object> change) {
      requireUnused("onResult(…) must be called before run()");
      Checks.required("change", change);
      UnaryOperator<@Nullable Object> earlier = this.change;
      this.change = earlier == null ? change : result -> change.apply(earlier.apply(result));
    }

    @Override
    public @Nullable Exception run() throws Exception {
      requireUnused("run() may be called once, and not together with answer(…)");
      used = true;
      if (index == 1) {
        goOnWithinTheFirst();
      } else {
        goOn();
      }
      return declared;
    }

    private void goOn() throws Exception {
      if (index < interceptors.size()) {
        pass(interceptors.get(index), new Step(index + 1, this, arguments));
      } else {
        handle();
      }
    }

    private void goOnWithinTheFirst() throws Exception {
      try {
        goOn();
      } catch (Throwable e) {
        call.tellEarly(e, began);
        throw e;
      }
    }

    private void pass(ServerInterceptor interceptor, Step next) throws Exception {
      try {
        interceptor.intercept(call, next);
      } finally {
        next.over = true;
      }
      if (last == null) {
        throw new IllegalStateException(
            "%s neither ran the next step, nor answered, nor refused %s"
                .formatted(interceptor.getClass().getName(), call.method()));
      }
    }

    @Override
    public void answer(@Nullable Object result) throws Exception {
      requireUnused("answer(…) may be called once, and not together with run()");
      used = true;
      answers = true;
      answer = result;
      handle();
    }

    private void handle() throws Exception {
      last = this;
      began = !answers;
      doubted = answers ? "got an interceptor's answer of the wrong type" : null;
      try {
        handler.run(Interception.this);
      } catch (ClassCastException | NullPointerException e) {
        failure = doubted == null ? e : new IllegalArgumentException(told(e), e);
        throw failure;
      } catch (Exception e) {
        failure = e;
        throw e;
      }
      returned = true;
    }

    private String told(RuntimeException e) {
      return "%s %s: %s".formatted(call.method(), doubted, e.getMessage());
    }

    /**
     * Returns the changed result. An interceptor changes the result of the next step, but not its
     * own answer.
     */
    private @Nullable Object changed(@Nullable Object result) {
      Object changed = result;
      for (Step step = answers ? before : this; step != null; step = step.before) {
        if (step.change != null) {
          changed = step.change.apply(changed);
          doubted = "got a result of the wrong type from an interceptor's onResult";
        }
      }
      return changed;
    }

    private void requireUnused(String rule) {
      if (over || Thread.currentThread() != thread) {
        throw new IllegalStateException(
            "an interceptor may use the next step only on its own thread, and until it"
                + " returns");
      }
      if (used) {
        throw new IllegalStateException("the next step has already run: " + rule);
      }
    }
  }

  // ---- requests and answers of the handler ----

  @Override
  public boolean isIntercepted() {
    return true;
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the user of the value notices
  public <T> @Nullable T argument(int index) {
    return (T) reached().arguments[index];
  }

  @Override
  public void begin() {
    began = true;
    doubted = null;
  }

  @Override
  @SuppressWarnings("unchecked") // the writer notices
  public <R> @Nullable R intercepted(Callable<R> method) throws Exception {
    Step step = reached();
    if (step.answers) {
      return (R) step.changed(step.answer);
    }
    began = false;
    doubted = "got an argument of the wrong type from an interceptor";
    Object result = method.call();
    Object changed = null;
    try {
      changed = step.changed(result);
    } finally {
      if (changed != result && result instanceof Received unsent) {
        ReplyMessage.released(unsent);
      }
    }
    return (R) changed;
  }

  private Step reached() {
    return Objects.requireNonNull(last);
  }

  @Override
  public WireOut result() {
    return call.result();
  }

  @Override
  public void received(Received answer) {
    call.received(answer);
  }

  @Override
  public WireOut error(int index, Exception thrown) {
    declared = thrown;
    return call.error(index, thrown);
  }
}
