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

/** One call's way through the interceptors of its handler. On the handler's thread. */
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

  /** What a value of the wrong type is then: an interceptor's; null where it may be the user's. */
  private @Nullable String doubted;

  /** Behind all interceptors that run; null before. */
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

  /** Runs them all. Returns only if the handler has answered. */
  @Override
  public void run(Reply reply) throws Exception {
    thread = Thread.currentThread();
    first.run();
    if (!returned) {
      throw new IllegalStateException(
          "an interceptor of " + call.method() + " has swallowed how what is behind it ended",
          failure);
    }
  }

  @Override
  public boolean hasRun() {
    return began;
  }

  /** The interceptors from one on, and the handler behind them. */
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
      requireUnused("arguments(…) is called before run()");
      Checks.required("arguments", arguments);
      if (arguments.size() != this.arguments.length) {
        throw new IllegalArgumentException(
            "%s takes %d arguments, and an interceptor hands on %d"
                .formatted(call.method(), this.arguments.length, arguments.size()));
      }
      this.arguments = arguments.toArray();
    }

    @Override
    public void onResult(UnaryOperator<@Nullable Object> change) {
      requireUnused("onResult(…) is called before run()");
      Checks.required("change", change);
      UnaryOperator<@Nullable Object> earlier = this.change;
      this.change = earlier == null ? change : result -> change.apply(earlier.apply(result));
    }

    @Override
    public @Nullable Exception run() throws Exception {
      requireUnused("run() is called once, and not beside answer(…)");
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
            "%s neither ran what is behind it, nor answered, nor refused %s"
                .formatted(interceptor.getClass().getName(), call.method()));
      }
    }

    @Override
    public void answer(@Nullable Object result) throws Exception {
      requireUnused("answer(…) is called once, and not beside run()");
      used = true;
      answers = true;
      answer = result;
      handle();
    }

    private void handle() throws Exception {
      last = this;
      began = !answers;
      doubted = answers ? "was answered in place with what it does not return" : null;
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

    /** What it changes itself comes from behind it, and not from its own answer. */
    private @Nullable Object changed(@Nullable Object result) {
      Object changed = result;
      for (Step step = answers ? before : this; step != null; step = step.before) {
        if (step.change != null) {
          changed = step.change.apply(changed);
          doubted = "has a result that it does not return, by onResult of an interceptor";
        }
      }
      return changed;
    }

    private void requireUnused(String rule) {
      if (over || Thread.currentThread() != thread) {
        throw new IllegalStateException(
            "an interceptor asks what is behind it on the thread that runs it, and until it"
                + " returns");
      }
      if (used) {
        throw new IllegalStateException("what is behind the interceptor has run: " + rule);
      }
    }
  }

  // ---- what the handler asks, and writes ----

  @Override
  public boolean isIntercepted() {
    return true;
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what takes it finds out
  public <T> @Nullable T argument(int index) {
    return (T) reached().arguments[index];
  }

  @Override
  public void begins() {
    began = true;
    doubted = null;
  }

  @Override
  @SuppressWarnings("unchecked") // what writes it finds out
  public <R> @Nullable R intercepted(Callable<R> method) throws Exception {
    Step step = reached();
    if (step.answers) {
      return (R) step.changed(step.answer);
    }
    began = false;
    doubted = "is called with an argument that it does not take, by an interceptor";
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
