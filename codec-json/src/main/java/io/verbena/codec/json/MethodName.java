package io.verbena.codec.json;

import io.verbena.api.stub.Schema;
import java.util.List;

/**
 * Names of methods as users write them: the name alone, or with the id if several methods share the
 * name.
 */
public final class MethodName {
  private MethodName() {}

  /** Returns {@code name}, or {@code name#id} if the name is ambiguous. */
  public static String of(Schema schema, Schema.Method method) {
    return named(schema, method.name()).size() == 1
        ? method.name()
        : method.name() + "#" + method.id();
  }

  /** Returns the methods with this name. */
  public static List<Schema.Method> find(Schema schema, String name) {
    List<Schema.Method> named = named(schema, name);
    return named.isEmpty()
        ? schema.methods().stream().filter(one -> of(schema, one).equals(name)).toList()
        : named;
  }

  private static List<Schema.Method> named(Schema schema, String name) {
    return schema.methods().stream().filter(one -> one.name().equals(name)).toList();
  }
}
