package io.verbena.codegen.model;

import com.palantir.javapoet.ClassName;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;

/** The shapes of large objects, which are announced to the other end and never serialized. */
public final class Bulk {
  /** The place for a result. */
  public static final Shape.Leaf LANDING =
      new Shape.Leaf("landing", ClassName.get(Landing.class), "Landing", true, 1, null);

  /** The result that has arrived there. */
  public static final Shape.Leaf RECEIVED =
      new Shape.Leaf("received", ClassName.get(Received.class), "Received", true, 1, null);

  private Bulk() {}
}
