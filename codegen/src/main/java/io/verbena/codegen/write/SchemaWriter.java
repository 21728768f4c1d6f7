package io.verbena.codegen.write;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import io.verbena.api.stub.Schema;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.List;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/** Writes the method that returns the schema, which both ends compare. */
final class SchemaWriter {
  private final Service service;
  private final Names names;

  SchemaWriter(Service service, Names names) {
    this.service = service;
    this.names = names;
  }

  MethodSpec method() {
    return MethodSpec.methodBuilder("schema")
        .addModifiers(Modifier.PRIVATE, Modifier.STATIC)
        .returns(Schema.class)
        .addStatement(
            "return new $T(\n$S,\n$L,\n$L)",
            Schema.class,
            service.name(),
            lines(service.operations().stream().map(SchemaWriter::method)),
            lines(service.definitions().values().stream().map(this::type)))
        .build();
  }

  private static CodeBlock method(Operation operation) {
    Shape result = operation.result();
    return CodeBlock.of(
        "new $T(\n$>$>$L, $S, $L,\n$L,\n$S,\n$L$<$<)",
        Schema.Method.class,
        operation.id(),
        operation.name(),
        operation.oneway(),
        lines(operation.arguments().stream().map(a -> member(a.name(), a.shape()))),
        result == null ? "void" : result.name(),
        list(operation.errors().stream().map(error -> CodeBlock.of("$S", error.name()))));
  }

  private CodeBlock type(Definition definition) {
    return switch (definition) {
      case Definition.Constants type ->
          type(type, "ENUM", type.constants().stream().map(name -> member(name, "", false)));
      case Definition.Members type ->
          type(type, "RECORD", type.members().stream().map(m -> member(m.name(), m.shape())));
      case Definition.Choice type ->
          type(
              type,
              "SEALED",
              type.subtypes().stream()
                  .map(s -> member(Integer.toString(s.id()), s.shape().name(), false)));
      case Definition.Custom type ->
          CodeBlock.of(
              "$T.custom($S, $L.serializerOf$L)",
              Schema.Type.class,
              type.name(),
              names.wire(),
              names.suffix(new Shape.Named(type.name(), type.java())));
    };
  }

  private static CodeBlock type(Definition type, String kind, Stream<CodeBlock> members) {
    return CodeBlock.of(
        "new $T(\n$>$>$S, $T.$L,\n$L$<$<)",
        Schema.Type.class,
        type.name(),
        Schema.Kind.class,
        kind,
        lines(members));
  }

  private static CodeBlock member(String name, Shape shape) {
    return member(name, shape.name(), shape.hasDefault());
  }

  private static CodeBlock member(String name, String type, boolean optional) {
    return CodeBlock.of("new $T($S, $S, $L)", Schema.Member.class, name, type, optional);
  }

  private static CodeBlock list(Stream<CodeBlock> elements) {
    return CodeBlock.of("$T.of($L)", List.class, elements.collect(CodeBlock.joining(", ")));
  }

  private static CodeBlock lines(Stream<CodeBlock> elements) {
    List<CodeBlock> all = elements.toList();
    return all.size() < 2
        ? list(all.stream())
        : CodeBlock.of(
            "$T.of($>$>\n$L$<$<)", List.class, all.stream().collect(CodeBlock.joining(",\n")));
  }
}
