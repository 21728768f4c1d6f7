package io.verbena.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a permitted subtype of a sealed interface the id by which it is told apart on the wire.
 * What a subtype that is not known here is read as: see {@link RpcUnknown}.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface RpcType {
  /** Positive, unique among the subtypes of one sealed type, never reused. */
  int id();
}
