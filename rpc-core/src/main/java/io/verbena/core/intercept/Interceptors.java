package io.verbena.core.intercept;

import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import io.verbena.core.call.ServerCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of a client or server pass.
 *
 * @param ofCalls those that it makes, the first one first
 * @param ofHandlers those that it serves, the first one first
 */
public record Interceptors(List<ClientInterceptor> ofCalls, List<ServerInterceptor> ofHandlers) {
  /** Returns what puts them before handlers; null where there are none. */
  public ServerCall.@Nullable Guard guard() {
    return ofHandlers.isEmpty()
        ? null
        : (call, handler, arguments) -> new Interception(call, ofHandlers, handler, arguments);
  }
}
