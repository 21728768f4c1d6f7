package io.verbena.api.stub;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes the calls of one generated stub. Safe for use by any thread. */
public interface ServiceCaller {
  /**
   * Calls and waits for the result. Waits for room when too many calls are in flight. Interrupting
   * the waiting thread cancels the call.
   *
   * @throws Exception what the method declares, or {@link io.verbena.api.RpcException}
   */
  <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments) throws Exception;

  /**
   * Calls and returns at once. Fails the stage with RESOURCE_EXHAUSTED when too many calls are in
   * flight. Cancelling the stage's future cancels the call.
   */
  <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments);

  /**
   * Sends a one-way call. Waits for room when too many are in flight.
   *
   * @throws io.verbena.api.RpcException if it could not be encoded or handed to the session
   */
  void send(MethodDescriptor<?> method, ArgumentWriter arguments);
}
