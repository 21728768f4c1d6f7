package io.verbena.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the enum constant, or the subtype of a sealed type, that stands for values which this
 * version of the contract does not know. An unknown value of a newer peer is read as this constant
 * or subtype. Without it, such a value fails its call with {@link RpcStatus#INCOMPATIBLE}.
 *
 * <pre>{@code
 * enum Colour { RED, GREEN, @RpcUnknown OTHER }
 *
 * sealed interface Shape permits Circle, Other {}
 * @RpcType(id = 1) record Circle(double radius) implements Shape {}
 * @RpcType(id = 2) @RpcUnknown record Other() implements Shape {}
 * }</pre>
 *
 * <p>At most one constant, or one subtype, of a type may carry the annotation. An annotated subtype
 * is a record or class without members, and the members that the peer sent are skipped. A program
 * that sends such a value on sends the annotated constant or subtype, not the original value.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.FIELD, ElementType.TYPE})
public @interface RpcUnknown {}
