package io.verbena.observe;

import io.verbena.api.CallContext;
import io.verbena.api.ClientCall;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended, in the terms that metrics, spans and logs share. Immutable.
 *
 * @param status {@link #OK}, {@link #DECLARED}, or the name of an {@link RpcStatus}
 * @param errorType for a call that failed: the class of a declared exception, else the status; null
 *     for a result
 * @param execution whether the handler ran. At the handler's end it is UNKNOWN for a call that may
 *     have been refused before
 */
public record Outcome(String status, @Nullable String errorType, Execution execution) {
  /** The status of a call that ended with a result. */
  public static final String OK = "OK";

  /** The status of a call that ended with an exception that its contract declares. */
  public static final String DECLARED = "DECLARED";

  private static final Outcome RESULT = new Outcome(OK, null, Execution.EXECUTED);

  /**
   * Returns the outcome of a call at its caller.
   *
   * @param failure the failure of its stage; null for a result
   */
  public static Outcome of(ClientCall<?> call, @Nullable Throwable failure) {
    Throwable plain = plain(failure);
    return switch (plain) {
      case null -> RESULT;
      case RpcException told -> of(told.status(), told.execution());
      case CancellationException _ -> of(RpcStatus.CANCELLED, Execution.UNKNOWN);
      default ->
          call.method().errors() == null
              ? of(RpcStatus.INTERNAL, Execution.UNKNOWN) // from an interceptor
              : declared(plain);
    };
  }

  /**
   * Returns the outcome of a call at its handler.
   *
   * @param declared the declared exception of the handler; null for a result
   */
  public static Outcome answered(@Nullable Exception declared) {
    return declared == null ? RESULT : declared(declared);
  }

  /**
   * Returns the outcome of a call whose handler, or an interceptor before it, threw an exception.
   */
  public static Outcome thrown(CallContext call, Throwable thrown) {
    return of(call.statusOf(thrown), Execution.UNKNOWN);
  }

  private static Outcome of(RpcStatus status, Execution execution) {
    return new Outcome(status.name(), status.name(), execution);
  }

  private static Outcome declared(Throwable declared) {
    return new Outcome(DECLARED, declared.getClass().getName(), Execution.EXECUTED);
  }

  /** Returns the failure of a stage, without the exceptions that stages wrap it in. */
  public static @Nullable Throwable plain(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
