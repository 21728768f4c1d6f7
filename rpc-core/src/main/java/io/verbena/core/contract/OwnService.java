package io.verbena.core.contract;

import io.verbena.api.stub.MethodDescriptor;

/** The service of Verbena's own, by which either end asks for the items of a stream. */
public final class OwnService {
  /** Its name. */
  public static final String NAME = "verbena.streams";

  private OwnService() {}

  /** Returns whether a method is one of its: no interceptor knows of calls of it. */
  public static boolean has(MethodDescriptor<?> method) {
    return NAME.equals(method.service());
  }
}
