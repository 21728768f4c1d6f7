package io.verbena.api;

import java.util.concurrent.CompletionStage;

/**
 * Stands around the calls of a client, a server or a stub. It may read and change what a call takes
 * along, answer it, delay it, refuse it, or make it several times.
 *
 * <pre>{@code
 * final class Tokens implements ClientInterceptor {
 *   public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
 *     return call.proceed(call.metadata().with(TOKEN, newest()));
 *   }
 * }
 * }</pre>
 *
 * <p>Blocking and async stubs pass the same interceptors, one-way calls and calls with a landing
 * too. Safe for use by any thread: calls of many threads pass it at once.
 */
@FunctionalInterface
public interface ClientInterceptor {
  /**
   * Makes a call, or answers it.
   *
   * <p>Runs on the caller's thread, or where the interceptor before it proceeds. What it adds to
   * the stage of {@link ClientCall#proceed()} runs on the session's event loop mostly: nothing may
   * block there.
   *
   * @return how the call ends. A stage that fails ends it with that exception, an {@link
   *     RpcException} where the interceptor refuses it. What is thrown here is the same
   */
  <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call);
}
