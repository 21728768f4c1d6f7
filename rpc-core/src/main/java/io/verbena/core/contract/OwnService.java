package io.verbena.core.contract;

import io.verbena.api.stub.MethodDescriptor;

/** The services of Verbena itself, which both ends use. */
public final class OwnService {
  /** The service for the items of streams. */
  public static final String STREAMS = "verbena.streams";

  public static final String REGIONS = "verbena.regions";

  private OwnService() {}

  /** Returns whether this is the name of such a service. */
  static boolean is(String service) {
    return STREAMS.equals(service) || REGIONS.equals(service);
  }

  /** Returns whether a method belongs to such a service. Interceptors do not see calls of it. */
  public static boolean has(MethodDescriptor<?> method) {
    return is(method.service());
  }

  /** Returns whether a method requests items, which continues while an end drains. */
  public static boolean asksForItems(MethodDescriptor<?> method) {
    return STREAMS.equals(method.service());
  }
}
