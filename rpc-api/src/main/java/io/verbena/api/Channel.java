package io.verbena.api;

import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;

/**
 * Where stubs make their calls: a {@link Session}, which has one peer, or what spreads calls over
 * several. Safe for use by any thread.
 */
@FunctionalInterface
public interface Channel {
  /** Returns what generated stubs make their calls with. */
  ServiceCaller caller(ServiceDescriptor<?> service, CallOptions options);
}
