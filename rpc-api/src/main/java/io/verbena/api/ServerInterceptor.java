package io.verbena.api;

import org.jspecify.annotations.Nullable;

/**
 * Stands around the handlers of a client or server: it sees each call that the peer makes before
 * its handler, and how the handler ends. It may refuse the call, or answer in the handler's place,
 * bind a {@link ScopedValue} that the handler and its subtasks see, and tell the caller more by
 * {@link CallContext#replyMetadata}.
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
   * NOT_EXECUTED. What the handler has answered is dropped then.
   *
   * @throws Exception whatever the call shall be answered with
   */
  void intercept(CallContext call, Next next) throws Exception;

  /** The interceptors behind this one, and the handler. */
  @FunctionalInterface
  interface Next {
    /**
     * Runs them. At most once, on the thread that runs the interceptor.
     *
     * @return the declared exception that the handler answers with; null if it answers with a
     *     result. One that is not declared is thrown
     * @throws IllegalStateException if it is called a second time
     * @throws Exception what the handler threw
     */
    @Nullable Exception run() throws Exception;

    /**
     * Answers the call with a result in the handler's place. In place of {@link #run}, and as that
     * at most once; interceptors behind this one and the handler do not run.
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
