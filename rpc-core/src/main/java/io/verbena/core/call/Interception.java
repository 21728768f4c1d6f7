package io.verbena.core.call;

import io.verbena.api.ServerInterceptor;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireOut;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call's way through the interceptors of its handler. On the handler's thread. */
final class Interception implements Reply {
  private final ServerCall call;
  private final List<ServerInterceptor> interceptors;
  private final Handler handler;
  private boolean ran;
  private boolean returned;
  private boolean answered;
  private @Nullable Object answer;
  private @Nullable Exception declared;

  Interception(ServerCall call, List<ServerInterceptor> interceptors, Handler handler) {
    this.call = call;
    this.interceptors = interceptors;
    this.handler = handler;
  }

  /** Runs them all. Returns only if the handler has answered. */
  void run() throws Exception {
    new Step(0).run();
    if (!returned) {
      throw new IllegalStateException("an interceptor has swallowed how the handler ended");
    }
  }

  /** Returns whether the handler has begun. */
  boolean hasRun() {
    return ran && !answered;
  }

  /** The interceptors from one on, and the handler behind them. */
  private final class Step implements ServerInterceptor.Next {
    private final int index;
    private boolean used;

    Step(int index) {
      this.index = index;
    }

    @Override
    public @Nullable Exception run() throws Exception {
      if (used) {
        throw new IllegalStateException("what is behind an interceptor runs once");
      }
      used = true;
      if (index < interceptors.size()) {
        ServerInterceptor interceptor = interceptors.get(index);
        interceptor.intercept(call, new Step(index + 1));
        if (!ran) {
          throw new IllegalStateException(
              interceptor.getClass().getName() + " neither ran its handler nor refused the call");
        }
      } else {
        ran = true;
        handler.run(Interception.this);
        returned = true;
      }
      return declared;
    }

    @Override
    public void answer(@Nullable Object result) throws Exception {
      if (used) {
        throw new IllegalStateException("what is behind the interceptor has run");
      }
      used = true;
      ran = true;
      answered = true;
      answer = result;
      try {
        handler.run(Interception.this);
      } catch (ClassCastException e) {
        throw new IllegalArgumentException(
            call.method() + " was answered with a " + name(result) + ": " + e.getMessage(), e);
      }
      returned = true;
    }

    private static String name(@Nullable Object result) {
      return result == null ? "null" : result.getClass().getName();
    }
  }

  // ---- what the handler writes ----

  @Override
  public boolean isAnswered() {
    return answered;
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what writes it finds out
  public <R> @Nullable R inPlace() {
    return (R) answer;
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
