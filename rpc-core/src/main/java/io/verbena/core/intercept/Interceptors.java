package io.verbena.core.intercept;

import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import io.verbena.core.call.ServerCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The interceptors of a client or server.
 *
 * @param ofCalls interceptors of outgoing calls, in order
 * @param ofHandlers interceptors of handlers, in order
 */
public record Interceptors(List<ClientInterceptor> ofCalls, List<ServerInterceptor> ofHandlers) {
  /** Returns the guard that runs the interceptors of handlers; null if there are none. */
  public ServerCall.@Nullable Guard guard() {
    return ofHandlers.isEmpty()
        ? null
        : (call, handler, arguments) -> new Interception(call, ofHandlers, handler, arguments);
  }
}
