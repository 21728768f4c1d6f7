package io.verbena.api;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Intercepts the calls that a client or server handles. An interceptor sees each call of the peer
 * before the handler does, and it sees the outcome. It may read and change arguments and result,
 * refuse the call, or answer in place of the handler. It may bind a {@link ScopedValue} for the
 * handler and its subtasks, and it may add details to the reply by {@link
 * CallContext#replyMetadata}.
 *
 * <pre>{@code
 * builder.serverInterceptor((call, next) -> {
 *   if (!allowed(call.session().peer(), call.method())) {
 *     throw new RpcException(RpcStatus.PERMISSION_DENIED, call.method() + " is for operators");
 *   }
 *   next.run();
 * });
 * }</pre>
 *
 * <p>It runs on the handler's thread. For a {@code nonBlocking} method that is the event loop,
 * where it must not block. It must be safe for use by any thread, because many calls pass it at
 * once.
 */
@FunctionalInterface
public interface ServerInterceptor {
  /**
   * Runs the handler by {@code next}, or refuses the call by throwing an exception.
   *
   * <p>An exception thrown here answers the call as if the handler had thrown it. An {@link
   * RpcException} keeps its status and metadata. If the handler has answered already, its answer is
   * dropped. If it has not run, the caller receives NOT_EXECUTED. Only the handler may throw
   * exceptions that the method declares. Thrown here, they are answered with INTERNAL, as
   * undeclared exceptions are.
   *
   * @throws Exception the failure to answer the call with
   */
  void intercept(CallContext call, Next next) throws Exception;

  /**
   * The remaining interceptors and the handler. Only the thread that runs the interceptor may use
   * it, and only until the interceptor returns. On other threads, and later, every method except
   * {@link #arguments()} throws an IllegalStateException, and nothing runs.
   */
  @FunctionalInterface
  interface Next {
    /**
     * Returns the arguments in the order of the method's parameters, with the changes of earlier
     * interceptors. A stream is a {@link java.util.concurrent.Flow.Publisher}, a landing a {@link
     * io.verbena.api.bulk.Landing}. The list is unmodifiable. The objects in it are those that the
     * handler receives.
     */
    default List<@Nullable Object> arguments() {
      throw new UnsupportedOperationException(
          "only the Next that Verbena passes to an interceptor has arguments");
    }

    /**
     * Replaces the arguments for the remaining interceptors and the handler. Call it before {@link
     * #run}.
     *
     * @param arguments one for each parameter of the method, of its type. The list is copied. An
     *     argument of a wrong type answers the call with INTERNAL
     * @throws IllegalArgumentException if there are more or fewer
     * @throws IllegalStateException if {@link #run} or {@link #answer} was called before
     */
    default void arguments(List<?> arguments) {
      throw new UnsupportedOperationException(
          "only the Next that Verbena passes to an interceptor accepts arguments");
    }

    /**
     * Adds a function that sees, and may replace, the result before it is encoded. Call it before
     * {@link #run}. The function runs if there is a result. It does not run if the handler answers
     * with a declared exception. Functions of later interceptors run first, and two functions added
     * here run in the order of adding. The call may still fail afterwards, in another interceptor
     * or because the result cannot be encoded. It has succeeded when {@code run} has returned null.
     *
     * @param change receives the result (null for a void method) and returns the result to send. A
     *     result of a wrong type answers the call with INTERNAL. An exception that it throws counts
     *     as thrown by the handler
     * @throws IllegalStateException if {@link #run} or {@link #answer} was called before
     */
    default void onResult(UnaryOperator<@Nullable Object> change) {
      throw new UnsupportedOperationException(
          "only the Next that Verbena passes to an interceptor has a result");
    }

    /**
     * Runs the remaining interceptors and the handler. Call it at most once.
     *
     * @return the declared exception that the handler answers with; null if it answers with a
     *     result. An undeclared exception is thrown
     * @throws IllegalStateException if it is called a second time
     * @throws Exception what the handler threw
     */
    @Nullable Exception run() throws Exception;

    /**
     * Answers the call with a result in place of the handler. Call it instead of {@link #run}, and
     * at most once. The remaining interceptors and the handler do not run, nor do the functions
     * that this interceptor has added by {@link #onResult}. The result has been encoded when this
     * method returns.
     *
     * @param result of the type that the method returns; null for a void method, or if the method
     *     may return null
     * @throws IllegalArgumentException if it is of another type; the call is answered with INTERNAL
     * @throws IllegalStateException if {@link #run} or {@code answer} was called before
     * @throws Exception if the result cannot be encoded
     */
    default void answer(@Nullable Object result) throws Exception {
      throw new UnsupportedOperationException(
          "only the Next that Verbena passes to an interceptor can answer");
    }
  }
}
