package io.verbena.api.stub;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes the calls of one generated stub. Safe for use by any thread. */
public interface ServiceCaller {
  /**
   * Makes a call and waits for its result. It waits for room first if too many calls are in flight.
   * Interrupting the waiting thread cancels the call.
   *
   * @throws Exception an exception that the method declares, or {@link io.verbena.api.RpcException}
   */
  <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments) throws Exception;

  /**
   * Makes a call and returns at once. The stage fails with RESOURCE_EXHAUSTED if too many calls are
   * in flight. Cancelling the stage's future cancels the call.
   */
  <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments);

  /**
   * Calls a method whose result goes to a landing. It waits until the result is there, or until the
   * call has failed and nothing writes to the landing any more.
   *
   * @throws Exception an exception that the method declares, or {@link io.verbena.api.RpcException}
   */
  Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments)
      throws Exception;

  /**
   * Calls a method whose result goes to a landing, and returns at once. A stage that fails does so
   * when nothing writes to the landing any more. A stage that is cancelled completes at once, while
   * bytes may still arrive. So do not cancel a call if the landing's memory will be reused.
   */
  CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments);

  /**
   * Sends a one-way call. It returns at once if the session is open and the receiver keeps up.
   * Otherwise it waits for room, or until the call has been sent, at most for the call's timeout.
   * On an event loop it never waits.
   *
   * @throws io.verbena.api.RpcException INVALID_ARGUMENT if it cannot be encoded,
   *     RESOURCE_EXHAUSTED if too many calls are in flight, UNAVAILABLE if no session can be
   *     opened, DEADLINE_EXCEEDED if none opened in time. The call was then not executed
   */
  void send(MethodDescriptor<?> method, ArgumentWriter arguments);
}
