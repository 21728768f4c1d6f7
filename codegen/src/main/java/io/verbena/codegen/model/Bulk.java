package io.verbena.codegen.model;

import com.palantir.javapoet.ClassName;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;

/** The shapes of what is announced to the other end and never serialized. */
public final class Bulk {
  /** Where a result goes. */
  public static final Shape.Leaf LANDING =
      new Shape.Leaf("landing", ClassName.get(Landing.class), "Landing", true, 1, null);

  /** What has arrived there. */
  public static final Shape.Leaf RECEIVED =
      new Shape.Leaf("received", ClassName.get(Received.class), "Received", true, 1, null);

  private Bulk() {}
}
