package io.verbena.api;

import java.util.concurrent.CompletionStage;

/**
 * Intercepts the calls that a client, a server or a stub makes. An interceptor may read and change
 * a call's metadata, answer the call, delay it, refuse it, or make it several times.
 *
 * <pre>{@code
 * final class Tokens implements ClientInterceptor {
 *   public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
 *     return call.proceed(call.metadata().with(TOKEN, newest()));
 *   }
 * }
 * }</pre>
 *
 * <p>All calls pass the interceptors: those of blocking and async stubs, one-way calls, and calls
 * with a landing. An interceptor must be safe for use by any thread, because many threads call at
 * once.
 */
@FunctionalInterface
public interface ClientInterceptor {
  /**
   * Makes a call, or answers it.
   *
   * <p>This method runs on the caller's thread, or on the thread where the previous interceptor
   * proceeds. Actions added to the stage of {@link ClientCall#proceed()} run on the session's event
   * loop, so they must not block, or at once where the reply has come.
   *
   * @return the outcome of the call. If the stage fails, the call fails with the same exception. An
   *     interceptor refuses a call by failing the stage with an {@link RpcException}, or by
   *     throwing one
   */
  <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call);
}
