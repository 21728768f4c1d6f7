package io.verbena.core.call;

import io.verbena.api.ServerInterceptor;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireOut;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One call's way through the interceptors of its handler. On the handler's thread. */
final class Interception implements Handler, Reply {
  private final ServerCall call;
  private final List<ServerInterceptor> interceptors;
  private final Handler handler;
  private final Step first;
  private boolean returned;
  private @Nullable Exception declared;

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
    first.run();
    if (!returned) {
      throw new IllegalStateException("an interceptor has swallowed how the handler ended");
    }
  }

  /** Returns whether the handler has begun. */
  boolean hasRun() {
    return last != null && !last.answers;
  }

  /** The interceptors from one on, and the handler behind them. */
  private final class Step implements ServerInterceptor.Next {
    private final int index;
    private final @Nullable Step before;
    private @Nullable Object[] arguments;
    private @Nullable UnaryOperator<@Nullable Object> change;
    private boolean used;
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
      requireUnused();
      if (arguments.size() != this.arguments.length) {
        throw new IllegalArgumentException(
            "%s has %d arguments, not %d"
                .formatted(call.method(), this.arguments.length, arguments.size()));
      }
      this.arguments = arguments.toArray();
    }

    @Override
    public void onResult(UnaryOperator<@Nullable Object> change) {
      requireUnused();
      UnaryOperator<@Nullable Object> earlier = this.change;
      this.change = earlier == null ? change : result -> change.apply(earlier.apply(result));
    }

    @Override
    public @Nullable Exception run() throws Exception {
      use();
      if (index < interceptors.size()) {
        ServerInterceptor interceptor = interceptors.get(index);
        interceptor.intercept(call, new Step(index + 1, this, arguments));
        if (last == null) {
          throw new IllegalStateException(
              interceptor.getClass().getName() + " neither ran its handler nor refused the call");
        }
      } else {
        handle();
      }
      return declared;
    }

    @Override
    public void answer(@Nullable Object result) throws Exception {
      use();
      answers = true;
      answer = result;
      handle();
    }

    private void handle() throws Exception {
      last = this;
      try {
        handler.run(Interception.this);
      } catch (ClassCastException e) {
        throw answers ? new IllegalArgumentException(wrongAnswer(e), e) : e;
      }
      returned = true;
    }

    private String wrongAnswer(ClassCastException e) {
      String type = answer == null ? "null" : answer.getClass().getName();
      return call.method() + " was answered with a " + type + ": " + e.getMessage();
    }

    /** What it changes itself comes from behind it, and not from its own answer. */
    private @Nullable Object changed(@Nullable Object result) {
      Object changed = result;
      for (Step step = answers ? before : this; step != null; step = step.before) {
        if (step.change != null) {
          changed = step.change.apply(changed);
        }
      }
      return changed;
    }

    private void use() {
      requireUnused();
      used = true;
    }

    private void requireUnused() {
      if (used) {
        throw new IllegalStateException(
            "what is behind an interceptor runs once, and is told before what to change");
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
  @SuppressWarnings("unchecked") // what writes it finds out
  public <R> @Nullable R intercepted(Callable<R> method) throws Exception {
    Step step = reached();
    return (R) step.changed(step.answers ? step.answer : method.call());
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
