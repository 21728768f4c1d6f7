package io.verbena.core.contract;

import io.verbena.api.stub.MethodDescriptor;

/** The services of Verbena's own, by which either end asks the other. */
public final class OwnService {
  /** The one by which the items of a stream are asked for. */
  public static final String STREAMS = "verbena.streams";

  /** The one by which regions are reached. */
  public static final String REGIONS = "verbena.regions";

  private OwnService() {}

  /** Returns whether a service of this name is one of them. */
  static boolean is(String service) {
    return STREAMS.equals(service) || REGIONS.equals(service);
  }

  /** Returns whether a method is one of theirs: no interceptor knows of calls of it. */
  public static boolean has(MethodDescriptor<?> method) {
    return is(method.service());
  }

  /** Returns whether a method asks for items, which goes on while an end drains. */
  public static boolean asksForItems(MethodDescriptor<?> method) {
    return STREAMS.equals(method.service());
  }
}
