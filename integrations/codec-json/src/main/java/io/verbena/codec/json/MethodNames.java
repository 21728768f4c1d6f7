package io.verbena.codec.json;

import io.verbena.api.stub.Schema;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The names of a contract's methods as users write them: the name alone, or with the id if several
 * methods share the name. Safe for use by any thread.
 */
public final class MethodNames {
  private final List<Schema.Method> methods;
  private final Map<String, List<Schema.Method>> byName;

  /** Reads the names of a contract, which may be a peer's and have many methods. */
  public MethodNames(Schema schema) {
    methods = schema.methods();
    byName = methods.stream().collect(Collectors.groupingBy(Schema.Method::name));
  }

  /** Returns {@code name}, or {@code name#id} if the name is ambiguous. */
  public String of(Schema.Method method) {
    return named(method.name()).size() == 1 ? method.name() : method.name() + "#" + method.id();
  }

  /** Returns the names of these methods. */
  public List<String> of(List<Schema.Method> some) {
    return some.stream().map(this::of).toList();
  }

  /** Returns the methods with this name. */
  public List<Schema.Method> find(String name) {
    List<Schema.Method> named = named(name);
    return named.isEmpty() ? methods.stream().filter(one -> of(one).equals(name)).toList() : named;
  }

  private List<Schema.Method> named(String name) {
    return byName.getOrDefault(name, List.of());
  }
}
