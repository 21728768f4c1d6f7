package io.verbena.core.intercept;

import io.verbena.api.CallOptions;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Metadata;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.core.call.LandingCall;
import io.verbena.core.call.OutgoingCalls;
import io.verbena.core.call.PendingCall;
import io.verbena.core.call.SessionCaller;
import io.verbena.link.memory.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes the calls of a stub by way of interceptors. Safe for any thread. */
public final class InterceptedCaller implements ServiceCaller {
  private final SessionCaller caller;
  private final List<ClientInterceptor> interceptors;

  private InterceptedCaller(SessionCaller caller, List<ClientInterceptor> interceptors) {
    this.caller = caller;
    this.interceptors = interceptors;
  }

  /**
   * Returns what makes a session's calls, by way of their interceptors where there are any.
   *
   * @param shared those of all its calls
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

  /** Makes one attempt at a call, which tells what came beside its reply. */
  @FunctionalInterface
  interface Maker<R> {
    PendingCall<R> make(
        OutgoingCalls host,
        MethodDescriptor<R> method,
        Slot slot,
        long timeoutNanos,
        Consumer<Metadata> listener);
  }

  @Override
  public <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments)
      throws Exception {
    caller.checkMayWait(method);
    return SessionCaller.awaited(method, begin(method, arguments, true, ToldCall::new));
  }

  @Override
  public Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments)
      throws Exception {
    caller.checkMayWait(method);
    InterceptedCall<Received> call = begin(method, arguments, true, into(into));
    return Objects.requireNonNull(SessionCaller.awaited(method, call), "an object");
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    return begin(method, arguments, false, ToldCall::new);
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    return begin(method, arguments, false, into(into));
  }

  private static Maker<Received> into(Landing into) {
    Landing landing = SessionCaller.usable(into);
    return (host, method, slot, timeout, listener) ->
        new LandingCall(host, method, slot, timeout, landing, listener);
  }

  @Override
  public void send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    caller.checkNotEnded(method);
    sendTyped(method, arguments);
  }

  private <R> void sendTyped(MethodDescriptor<R> method, ArgumentWriter arguments) {
    InterceptedCall<R> call =
        begin(
            method,
            arguments,
            true,
            (host, called, slot, timeout, listener) ->
                SessionCaller.oneway(host, called, slot, timeout));
    if (call.isDone() || call.isAwaitedBySender()) {
      SessionCaller.awaitLeft(method, call);
    } else {
      call.reportUnsent();
    }
  }

  private <R> InterceptedCall<R> begin(
      MethodDescriptor<R> method, ArgumentWriter arguments, boolean waits, Maker<R> maker) {
    InterceptedCall<R> call =
        new InterceptedCall<>(caller, interceptors, method, arguments, maker, waits);
    call.begin();
    return call;
  }

  /** A call that tells what came beside its reply. */
  private static final class ToldCall<R> extends PendingCall<R> {
    private final Consumer<Metadata> listener;

    ToldCall(
        OutgoingCalls host,
        MethodDescriptor<R> method,
        Slot slot,
        long timeoutNanos,
        Consumer<Metadata> listener) {
      super(host, method, slot, timeoutNanos);
      this.listener = listener;
    }

    @Override
    protected void cameAlong(Metadata metadata) {
      listener.accept(metadata);
    }
  }
}
