package io.verbena.api.stub;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
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
   * Calls a method whose result goes to a landing, and waits until it is there, or until the call
   * has failed and nothing is written there any more.
   *
   * @throws Exception what the method declares, or {@link io.verbena.api.RpcException}
   */
  Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments)
      throws Exception;

  /**
   * Calls a method whose result goes to a landing, and returns at once. A stage that fails does so
   * when nothing is written there any more; one that is cancelled does so at once, so do not cancel
   * a call into memory that is used again.
   */
  CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments);

  /**
   * Sends a one-way call. Where the session is open and the receiver not behind, it returns at
   * once; else it waits for room, or until the call has left, up to the call's time-out. On an
   * event loop it never waits.
   *
   * @throws io.verbena.api.RpcException INVALID_ARGUMENT if it cannot be encoded,
   *     RESOURCE_EXHAUSTED if as many are under way as may be, UNAVAILABLE if no session can be
   *     had, DEADLINE_EXCEEDED if none came in time: it was not executed then
   */
  void send(MethodDescriptor<?> method, ArgumentWriter arguments);
}
