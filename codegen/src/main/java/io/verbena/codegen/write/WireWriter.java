package io.verbena.codegen.write;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import javax.lang.model.element.Modifier;

/** Writes the class with a pair of methods, write and read, for each composite shape. */
final class WireWriter {
  private final Service service;
  private final GeneratedNames names;
  private final ContainerWriter containers;
  private final DefinitionWriter definitions;

  WireWriter(Service service, GeneratedNames names) {
    this.service = service;
    this.names = names;
    this.containers = new ContainerWriter(names);
    this.definitions = new DefinitionWriter(service, names);
  }

  TypeSpec type() {
    TypeSpec.Builder type =
        TypeSpec.classBuilder(names.wire())
            .addJavadoc("How each type of the contract is written and read.\n")
            .addModifiers(Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL);
    for (Shape shape : names.composites().values()) {
      if (shape instanceof Shape.Named named) {
        addField(type, service.definition(named), names.suffix(shape));
      }
    }
    type.addMethod(MethodSpec.constructorBuilder().addModifiers(Modifier.PRIVATE).build());
    names
        .composites()
        .values()
        .forEach(shape -> type.addMethod(write(shape)).addMethod(read(shape)));
    return type.build();
  }

  private void addField(TypeSpec.Builder type, Definition definition, String suffix) {
    switch (definition) {
      case Definition.Constants constants ->
          type.addField(
              constant(ArrayTypeName.of(constants.java()), "valuesOf" + suffix)
                  .initializer("$T.values()", constants.java())
                  .build());
      case Definition.Custom custom ->
          type.addField(
              constant(custom.serializer(), "serializerOf" + suffix)
                  .initializer("new $T()", custom.serializer())
                  .build());
      case Definition.Members members -> {}
      case Definition.Choice choice -> {}
    }
  }

  private static FieldSpec.Builder constant(TypeName type, String name) {
    return FieldSpec.builder(type, name, Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL);
  }

  private MethodSpec write(Shape shape) {
    CodeBlock body =
        shape instanceof Shape.Named named
            ? definitions.write(service.definition(named), names.suffix(shape))
            : containers.write(shape);
    return MethodSpec.methodBuilder("write" + names.suffix(shape))
        .addModifiers(Modifier.STATIC)
        .addParameter(WireOut.class, "out")
        .addParameter(shape.java(), "value")
        .addCode(body)
        .build();
  }

  private MethodSpec read(Shape shape) {
    CodeBlock body =
        shape instanceof Shape.Named named
            ? definitions.read(service.definition(named), names.suffix(shape))
            : containers.read(shape);
    return MethodSpec.methodBuilder("read" + names.suffix(shape))
        .addModifiers(Modifier.STATIC)
        .returns(shape.java())
        .addParameter(WireIn.class, "in")
        .addCode(body)
        .build();
  }
}
