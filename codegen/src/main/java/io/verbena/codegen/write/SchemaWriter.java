package io.verbena.codegen.write;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import io.verbena.api.stub.Schema;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/**
 * Writes the method that returns the schema, which both ends compare. Long lists have methods of
 * their own, because the code of a method is limited to 64 KiB.
 */
final class SchemaWriter {
  /** The most parts of a list in one method. The code of each takes about 20 bytes. */
  private static final int MAX_PARTS = 1_000;

  private final Service service;
  private final GeneratedNames names;
  private final List<MethodSpec> lists = new ArrayList<>();

  SchemaWriter(Service service, GeneratedNames names) {
    this.service = service;
    this.names = names;
  }

  /** Returns the method, and those for its parts. An instance is used once. */
  List<MethodSpec> methods() {
    CodeBlock methods =
        split(Schema.Method.class, service.operations(), SchemaWriter::parts, SchemaWriter::method);
    CodeBlock types =
        split(Schema.Type.class, service.definitions().values(), SchemaWriter::parts, this::type);
    MethodSpec schema =
        MethodSpec.methodBuilder("schema")
            .addModifiers(Modifier.PRIVATE, Modifier.STATIC)
            .returns(Schema.class)
            .addStatement(
                "return new $T(\n$S,\n$L,\n$L)", Schema.class, service.name(), methods, types)
            .build();
    lists.addFirst(schema);
    return lists;
  }

  private <T> CodeBlock split(
      Class<?> element, Collection<T> all, ToIntFunction<T> parts, Function<T, CodeBlock> code) {
    if (all.stream().mapToInt(parts).sum() <= MAX_PARTS) {
      return lines(all.stream().map(code));
    }
    List<CodeBlock> calls = new ArrayList<>();
    List<T> some = new ArrayList<>();
    int sum = 0;
    for (T one : all) {
      if (sum + parts.applyAsInt(one) > MAX_PARTS && !some.isEmpty()) {
        calls.add(listOf(element, calls.size(), some, code));
        some.clear();
        sum = 0;
      }
      some.add(one);
      sum += parts.applyAsInt(one);
    }
    calls.add(listOf(element, calls.size(), some, code));
    return CodeBlock.of(
        "$T.of($>$>\n$L$<$<)\n.flatMap($T::stream)\n.toList()",
        Stream.class,
        CodeBlock.join(calls, ",\n"),
        List.class);
  }

  /** Adds a method that returns a list, and returns its call. */
  private <T> CodeBlock listOf(
      Class<?> element, int index, List<T> some, Function<T, CodeBlock> code) {
    String name = element.getSimpleName().toLowerCase(Locale.ROOT) + "s" + (index + 1);
    lists.add(
        MethodSpec.methodBuilder(name)
            .addModifiers(Modifier.PRIVATE, Modifier.STATIC)
            .returns(ParameterizedTypeName.get(List.class, element))
            .addStatement("return $L", lines(some.stream().map(code)))
            .build());
    return CodeBlock.of("$L()", name);
  }

  private static int parts(Operation operation) {
    return 2 + operation.arguments().size() + operation.errors().size();
  }

  private static int parts(Definition definition) {
    return switch (definition) {
      case Definition.Constants type -> 2 + type.constants().size();
      case Definition.Members type -> 2 + type.members().size();
      case Definition.Choice type -> 2 + type.subtypes().size();
      case Definition.Custom type -> 2;
    };
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
