package io.verbena.core.call;

import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import java.util.List;

/**
 * What the calls of a client or server pass.
 *
 * @param ofCalls those that it makes, the first one first
 * @param ofHandlers those that it serves, the first one first
 */
public record Interceptors(List<ClientInterceptor> ofCalls, List<ServerInterceptor> ofHandlers) {}
