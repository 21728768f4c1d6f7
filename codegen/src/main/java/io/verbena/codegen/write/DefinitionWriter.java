package io.verbena.codegen.write;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.NameAllocator;
import io.verbena.api.wire.WireException;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Definition.Construction;
import io.verbena.codegen.model.Definition.Member;
import io.verbena.codegen.model.Definition.Subtype;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Writes the code for named types. */
final class DefinitionWriter {
  private static final CodeBlock OUT = CodeBlock.of("out");
  private static final CodeBlock IN = CodeBlock.of("in");

  private final Service service;
  private final GeneratedNames names;

  DefinitionWriter(Service service, GeneratedNames names) {
    this.service = service;
    this.names = names;
  }

  CodeBlock write(Definition definition, String suffix) {
    return switch (definition) {
      case Definition.Constants type ->
          CodeBlock.builder().addStatement("out.writeVarInt(value.ordinal())").build();
      case Definition.Members type -> writeMembers(type);
      case Definition.Choice type -> writeChoice(type);
      case Definition.Custom type ->
          CodeBlock.builder()
              .addStatement("int mark = out.beginRecord()")
              .addStatement("serializerOf$L.write(out, value)", suffix)
              .addStatement("out.endRecord(mark)")
              .build();
    };
  }

  private CodeBlock writeMembers(Definition.Members type) {
    CodeBlock.Builder body = CodeBlock.builder();
    if (type.exact() != null) {
      body.beginControlFlow("if (value.getClass() != $T.class)", type.exact());
      body.addStatement(
          "throw new $T($S + value.getClass().getName())",
          WireException.class,
          "a subclass of " + type.label() + " would lose what it adds: ");
      body.endControlFlow();
    }
    body.addStatement("int mark = out.beginRecord()");
    for (Member member : type.members()) {
      CodeBlock value = CodeBlock.of("value.$L()", member.getter());
      CodeBlock checked = Values.checked(member.shape(), value, type.label() + "." + member.name());
      body.addStatement("$L", names.write(member.shape(), OUT, checked, true));
    }
    return body.addStatement("out.endRecord(mark)").build();
  }

  private CodeBlock writeChoice(Definition.Choice type) {
    CodeBlock.Builder body = CodeBlock.builder().beginControlFlow("switch (value)");
    for (Subtype subtype : type.subtypes()) {
      body.beginControlFlow("case $T subtype ->", subtype.shape().java());
      body.addStatement("out.writeVarInt($L)", subtype.id());
      CodeBlock write = names.write(subtype.shape(), OUT, CodeBlock.of("subtype"), true);
      if (isRecord(subtype)) {
        body.addStatement("$L", write);
      } else {
        body.addStatement("int mark = out.beginRecord()");
        body.addStatement("$L", write);
        body.addStatement("out.endRecord(mark)");
      }
      body.endControlFlow();
    }
    return body.endControlFlow().build();
  }

  /**
   * Returns whether a subtype is a record on the wire. Enums and sealed types are not, so they are
   * wrapped in one, so that a peer can skip an unknown one.
   */
  private boolean isRecord(Subtype subtype) {
    return switch (service.definition(subtype.shape())) {
      case Definition.Members type -> true;
      case Definition.Custom type -> true;
      case Definition.Constants type -> false;
      case Definition.Choice type -> false;
    };
  }

  CodeBlock read(Definition definition, String suffix) {
    return switch (definition) {
      case Definition.Constants type -> readConstant(type, suffix);
      case Definition.Members type -> readMembers(type);
      case Definition.Choice type -> readChoice(type);
      case Definition.Custom type -> readCustom(type, suffix);
    };
  }

  private static CodeBlock readConstant(Definition.Constants type, String suffix) {
    String unknown = type.unknown();
    CodeBlock otherwise =
        unknown == null
            ? CodeBlock.of(
                "throw $T.unknown($S, ordinal)", WireException.class, type.java().simpleName())
            : CodeBlock.of("return $T.$L", type.java(), unknown);
    return CodeBlock.builder()
        .addStatement("int ordinal = in.readVarInt()")
        .beginControlFlow("if (ordinal < 0 || ordinal >= valuesOf$L.length)", suffix)
        .addStatement("$L", otherwise)
        .endControlFlow()
        .addStatement("return valuesOf$L[ordinal]", suffix)
        .build();
  }

  private CodeBlock readMembers(Definition.Members type) {
    NameAllocator locals = new NameAllocator();
    String end = locals.newName("end");
    locals.newName("in");
    List<String> variables = type.members().stream().map(m -> locals.newName(m.name())).toList();
    CodeBlock.Builder body = CodeBlock.builder().addStatement("int $L = in.beginRecord()", end);
    for (int i = 0; i < variables.size(); i++) {
      addRead(body, type, type.members().get(i), variables.get(i));
    }
    body.addStatement("in.endRecord($L)", end);
    String e = locals.newName("e");
    body.beginControlFlow("try");
    addConstruction(body, type, variables, locals.newName("value"));
    return body.nextControlFlow("catch ($T $L)", RuntimeException.class, e)
        .addStatement("throw $T.refused($S, $L)", WireException.class, type.label(), e)
        .endControlFlow()
        .build();
  }

  private void addRead(
      CodeBlock.Builder body, Definition.Members type, Member member, String variable) {
    CodeBlock read = names.read(member.shape(), IN, true);
    if (member.shape().hasDefault()) {
      CodeBlock none = Values.defaultOf(member.shape());
      body.addStatement(
          "$T $L = in.atEnd(end) ? $L : $L", member.shape().java(), variable, none, read);
      return;
    }
    body.beginControlFlow("if (in.atEnd(end))")
        .addStatement(
            "throw $T.missing($S)", WireException.class, type.label() + "." + member.name())
        .endControlFlow()
        .addStatement("$T $L = $L", member.shape().java(), variable, read);
  }

  private static void addConstruction(
      CodeBlock.Builder body, Definition.Members type, List<String> variables, String value) {
    if (type.construction() == Construction.CONSTRUCTOR) {
      body.addStatement("return new $T($L)", type.java(), String.join(", ", variables));
      return;
    }
    body.addStatement("$T $L = new $T()", type.java(), value, type.java());
    IntStream.range(0, variables.size())
        .forEach(
            i ->
                body.addStatement(
                    "$L.$L($L)", value, type.members().get(i).setter(), variables.get(i)));
    body.addStatement("return $L", value);
  }

  private CodeBlock readChoice(Definition.Choice type) {
    CodeBlock.Builder body =
        CodeBlock.builder()
            .addStatement("int id = in.readVarInt()")
            .add("return switch (id) {\n")
            .indent();
    for (Subtype subtype : type.subtypes()) {
      CodeBlock read = names.read(subtype.shape(), IN, true);
      if (isRecord(subtype)) {
        body.addStatement("case $L -> $L", subtype.id(), read);
      } else {
        body.beginControlFlow("case $L ->", subtype.id())
            .addStatement("int end = in.beginRecord()")
            .addStatement("$T subtype = $L", subtype.shape().java(), read)
            .addStatement("in.endRecord(end)")
            .addStatement("yield subtype")
            .endControlFlow();
      }
    }
    Shape unknown = type.unknown();
    CodeBlock otherwise =
        unknown == null
            ? CodeBlock.of("throw $T.unknown($S, id)", WireException.class, type.label())
            : names.read(unknown, IN, true);
    return body.addStatement("default -> $L", otherwise).unindent().add("};\n").build();
  }

  private static CodeBlock readCustom(Definition.Custom type, String suffix) {
    return CodeBlock.builder()
        .addStatement("int end = in.beginRecord()")
        .addStatement("$T value", type.java())
        .beginControlFlow("try")
        .addStatement(
            "value = $T.requireNonNull(serializerOf$L.read(in), $S)",
            Objects.class,
            suffix,
            "its serializer read null")
        .nextControlFlow("catch ($T e)", RuntimeException.class)
        .addStatement("throw $T.refused($S, e)", WireException.class, type.label())
        .endControlFlow()
        .addStatement("in.endRecord(end)")
        .addStatement("return value")
        .build();
  }
}
