package io.verbena.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Sets the id of a permitted subtype of a sealed interface. The id identifies the subtype on the
 * wire. {@link RpcUnknown} marks the subtype that stands for unknown ids.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface RpcType {
  /** The id. It is positive, unique among the subtypes of one sealed type, and never reused. */
  int id();
}
