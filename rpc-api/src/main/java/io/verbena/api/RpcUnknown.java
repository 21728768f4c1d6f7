package io.verbena.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the enum constant, or the subtype of a sealed type, that stands for all that this version
 * of the contract does not know: what a newer peer sends is read as this one. Without it, such a
 * value fails its call with {@link RpcStatus#INCOMPATIBLE}.
 *
 * <pre>{@code
 * enum Colour { RED, GREEN, @RpcUnknown OTHER }
 *
 * sealed interface Shape permits Circle, Other {}
 * @RpcType(id = 1) record Circle(double radius) implements Shape {}
 * @RpcType(id = 2) @RpcUnknown record Other() implements Shape {}
 * }</pre>
 *
 * <p>One constant, or one subtype, of a type may carry it. A subtype is a record or class without
 * members: what the peer sent is skipped. Passing the value on sends the one that carries the
 * annotation, not what came.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.FIELD, ElementType.TYPE})
public @interface RpcUnknown {}
