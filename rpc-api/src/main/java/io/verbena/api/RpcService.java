package io.verbena.api;

import io.verbena.api.wire.Serializer;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface as a contract. At compile time Verbena's annotation processor writes {@code
 * <Interface>Rpc} in the same package. For a nested interface the name is {@code
 * <Outer>_<Interface>Rpc}. The class holds a blocking client, an async client, a binding for a
 * server, and the serializers of every type that a signature reaches.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface RpcService {
  /**
   * The service's name on the wire, such as {@code "store.v1"}. It is unique among the services
   * that one end of a session serves.
   */
  String name();

  /**
   * Serializers for types that the processor cannot take apart by itself, such as a class of
   * another library. Each serializer is a class with a public constructor without arguments.
   */
  Class<? extends Serializer<?>>[] serializers() default {};
}
