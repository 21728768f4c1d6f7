package io.verbena.api;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Stands around the handlers of a client or server: it sees each call that the peer makes before
 * its handler, and how the handler ends. It may read and change arguments and result, refuse the
 * call, or answer in the handler's place, bind a {@link ScopedValue} that the handler and its
 * subtasks see, and tell the caller more by {@link CallContext#replyMetadata}.
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
 * <p>Runs on the handler's thread; for a {@code nonBlocking} method that is the event loop, where
 * nothing may block. Safe for use by any thread: many calls pass it at once.
 */
@FunctionalInterface
public interface ServerInterceptor {
  /**
   * Runs the handler by {@code next}, or refuses the call by an exception.
   *
   * <p>What it throws answers the call as if the handler had thrown it, so that an {@link
   * RpcException} has its status and metadata; where the handler has not run, the caller is told
   * NOT_EXECUTED. What the handler has answered is dropped then. What the method declares is the
   * handler's to throw: from here it answers with INTERNAL, as anything undeclared.
   *
   * @throws Exception whatever the call shall be answered with
   */
  void intercept(CallContext call, Next next) throws Exception;

  /**
   * The interceptors behind this one, and the handler. For the thread that runs the interceptor,
   * until that returns: on others, and later, all but {@link #arguments()} throws an
   * IllegalStateException, and nothing runs.
   */
  @FunctionalInterface
  interface Next {
    /**
     * Returns the arguments as those before have handed them on, in the order of the method's: a
     * stream as its {@link java.util.concurrent.Flow.Publisher}, a landing as its {@link
     * io.verbena.api.bulk.Landing}. The list cannot be changed; the objects are the handler's own.
     */
    default List<@Nullable Object> arguments() {
      throw new UnsupportedOperationException("arguments are known by what Verbena hands on");
    }

    /**
     * Has what is behind get other arguments. To be called before {@link #run}.
     *
     * @param arguments as many as the method has, each of its type; the list is copied. One of
     *     another type answers the call with INTERNAL
     * @throws IllegalArgumentException if there are more or fewer
     * @throws IllegalStateException if what is behind this interceptor has run
     */
    default void arguments(List<?> arguments) {
      throw new UnsupportedOperationException("arguments are taken by what Verbena hands on");
    }

    /**
     * Has a result of what is behind changed, or looked at, before it is encoded. To be called
     * before {@link #run}, which calls it if there is a result, and not where the handler answers
     * with a declared exception. Those of interceptors behind this one come first, and of two set
     * here the first. The call may fail all the same, by an interceptor behind, or as the result
     * cannot be encoded: it has ended well when {@code run} has returned null.
     *
     * @param change gets the result, null for that of a void method, and returns the result to
     *     send, of the method's type: another one answers the call with INTERNAL. What it throws,
     *     the handler has thrown
     * @throws IllegalStateException if what is behind this interceptor has run
     */
    default void onResult(UnaryOperator<@Nullable Object> change) {
      throw new UnsupportedOperationException("results are known by what Verbena hands on");
    }

    /**
     * Runs them. At most once.
     *
     * @return the declared exception that the handler answers with; null if it answers with a
     *     result. One that is not declared is thrown
     * @throws IllegalStateException if it is called a second time
     * @throws Exception what the handler threw
     */
    @Nullable Exception run() throws Exception;

    /**
     * Answers the call with a result in the handler's place. In place of {@link #run}, and as that
     * at most once; interceptors behind this one and the handler do not run, and what this one has
     * set by {@link #onResult} is not asked. The result has been encoded when this returns.
     *
     * @param result of the type that the method returns; null where that is void or may be null
     * @throws IllegalArgumentException if it is of another type; it answers the call with INTERNAL
     * @throws IllegalStateException if what is behind this interceptor has run
     * @throws Exception if the result cannot be encoded
     */
    default void answer(@Nullable Object result) throws Exception {
      throw new UnsupportedOperationException("answers are given by what Verbena hands on");
    }
  }
}
