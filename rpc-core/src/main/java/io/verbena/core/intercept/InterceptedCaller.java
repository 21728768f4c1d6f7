package io.verbena.core.intercept;

import io.verbena.api.CallOptions;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.core.call.OutgoingCalls;
import io.verbena.core.call.SessionCaller;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes the calls of a stub through interceptors. Safe for use by any thread. */
public final class InterceptedCaller implements ServiceCaller {
  private final SessionCaller caller;
  private final List<ClientInterceptor> interceptors;

  private InterceptedCaller(SessionCaller caller, List<ClientInterceptor> interceptors) {
    this.caller = caller;
    this.interceptors = interceptors;
  }

  /**
   * Returns the caller of a session, with its interceptors if there are any.
   *
   * @param shared the interceptors of all calls
   */
  public static ServiceCaller of(
      OutgoingCalls calls, List<ClientInterceptor> shared, CallOptions options) {
    SessionCaller caller = new SessionCaller(calls, options);
    if (shared.isEmpty() && options.interceptors().isEmpty()) {
      return caller;
    }
    List<ClientInterceptor> all = new ArrayList<>(shared);
    all.addAll(options.interceptors());
    return new InterceptedCaller(caller, List.copyOf(all));
  }

  @Override
  public <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments)
      throws Exception {
    caller.checkMayWait(method);
    return SessionCaller.awaited(method, begin(method, arguments, true, null));
  }

  @Override
  public Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments)
      throws Exception {
    caller.checkMayWait(method);
    InterceptedCall<Received> call = begin(method, arguments, true, SessionCaller.usable(into));
    return Objects.requireNonNull(SessionCaller.awaited(method, call), "an object");
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    return begin(method, arguments, false, null);
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    return begin(method, arguments, false, SessionCaller.usable(into));
  }

  @Override
  public void send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    caller.checkNotEnded(method);
    sendTyped(method, arguments);
  }

  private <R> void sendTyped(MethodDescriptor<R> method, ArgumentWriter arguments) {
    InterceptedCall<R> call = begin(method, arguments, true, null);
    if (call.isDone() || call.isAwaitedBySender()) {
      SessionCaller.awaitLeft(method, call);
    } else {
      call.reportUnsent();
    }
  }

  private <R> InterceptedCall<R> begin(
      MethodDescriptor<R> method, ArgumentWriter arguments, boolean waits, @Nullable Landing into) {
    InterceptedCall<R> call =
        new InterceptedCall<>(caller, interceptors, method, arguments, into, waits);
    call.begin();
    return call;
  }
}
