package io.verbena.codegen.lock;

import io.verbena.codegen.lock.Lock.Entry;
import io.verbena.codegen.lock.Lock.Part;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.ArrayList;
import java.util.List;

/** Makes the lock of the present contract. */
final class Locks {
  private Locks() {}

  static Lock of(Service service) {
    Lock lock = Lock.empty();
    service.operations().forEach(o -> lock.methods().put(o.id(), method(o)));
    service.definitions().forEach((name, type) -> lock.types().put(name, type(type)));
    return lock;
  }

  private static Entry method(Operation operation) {
    List<Part> parts = new ArrayList<>();
    operation.arguments().forEach(a -> parts.add(member("takes", a.name(), a.shape())));
    Shape result = operation.result();
    parts.add(
        operation.oneway()
            ? new Part("returns", "nothing", "one-way")
            : new Part("returns", "value", result == null ? "void" : result.name()));
    for (Shape.Named error : operation.errors()) {
      parts.add(new Part("throws", "exception", error.name(), true));
    }
    return new Entry("method", operation.name(), false, parts);
  }

  private static Entry type(Definition definition) {
    return switch (definition) {
      case Definition.Constants type ->
          entry(
              "enum",
              type,
              type.constants().stream().map(c -> new Part("has", c, "", true)).toList());
      case Definition.Members type ->
          entry(
              "record",
              type,
              type.members().stream().map(m -> member("has", m.name(), m.shape())).toList());
      case Definition.Choice type ->
          entry(
              "sealed",
              type,
              type.subtypes().stream()
                  .map(s -> new Part("id", Integer.toString(s.id()), s.shape().name()))
                  .toList());
      case Definition.Custom type ->
          entry(
              "custom", type, List.of(new Part("by", "serializer", type.serializer().toString())));
    };
  }

  private static Entry entry(String kind, Definition type, List<Part> parts) {
    return new Entry(kind, type.name(), false, parts);
  }

  private static Part member(String word, String name, Shape shape) {
    return new Part(word, name, shape.name(), shape.hasDefault());
  }
}
