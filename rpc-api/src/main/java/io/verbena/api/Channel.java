package io.verbena.api;

import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;

/**
 * The way of a stub's calls to a server: a {@link Session}, which has one peer, or a channel that
 * spreads calls over several servers. Safe for use by any thread.
 */
@FunctionalInterface
public interface Channel {
  /** Returns the caller through which a generated stub makes its calls. */
  ServiceCaller caller(ServiceDescriptor<?> service, CallOptions options);
}
