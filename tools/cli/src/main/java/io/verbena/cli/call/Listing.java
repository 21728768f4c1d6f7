package io.verbena.cli.call;

import io.verbena.api.stub.Schema;
import io.verbena.codec.json.Labels;
import io.verbena.codec.json.MethodNames;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Prints the contract of a peer as text. */
final class Listing {
  private final Schema schema;
  private final Labels labels;
  private final MethodNames methods;

  Listing(Schema schema) {
    this.schema = schema;
    this.methods = new MethodNames(schema);
    List<String> names = new ArrayList<>();
    schema.types().forEach(type -> names.add(type.name()));
    this.labels = new Labels(names);
  }

  /** Prints the service's name and its methods. */
  void printMethods(PrintWriter out) {
    out.println(Labels.shown(schema.service()));
    schema.methods().forEach(method -> out.println("  " + signature(method)));
  }

  /** Prints the definitions of the types. */
  void printTypes(PrintWriter out) {
    if (!schema.types().isEmpty()) {
      out.println();
    }
    schema.types().forEach(type -> out.println("  " + definition(type)));
  }

  private String signature(Schema.Method method) {
    String errors = method.errors().stream().map(this::label).collect(Collectors.joining(", "));
    return "%s%s %s(%s)%s"
        .formatted(
            method.oneway() ? "oneway " : "",
            label(method.result()),
            Labels.shown(methods.of(method)),
            members(method.parameters()),
            errors.isEmpty() ? "" : " throws " + errors);
  }

  private String definition(Schema.Type type) {
    String name = label(type.name());
    return switch (type.kind()) {
      case RECORD -> "record " + name + "(" + members(type.members()) + ")";
      case ENUM ->
          "enum "
              + name
              + type.members().stream()
                  .map(member -> Labels.shown(member.name()))
                  .collect(Collectors.joining(", ", " { ", " }"));
      case SEALED ->
          "sealed "
              + name
              + type.members().stream()
                  .map(member -> label(member.type()))
                  .collect(Collectors.joining(", ", " permits ", ""));
      case CUSTOM -> "class " + name + " with its own serializer, as base64";
    };
  }

  private String members(List<Schema.Member> members) {
    return members.stream()
        .map(member -> label(member.type()) + " " + Labels.shown(member.name()))
        .collect(Collectors.joining(", "));
  }

  private String label(String type) {
    return labels.of(type);
  }
}
