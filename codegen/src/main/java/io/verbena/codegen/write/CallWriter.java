package io.verbena.codegen.write;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.NameAllocator;
import com.palantir.javapoet.ParameterSpec;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Operation.Argument;
import io.verbena.codegen.model.Shape;
import java.util.List;
import javax.lang.model.element.Modifier;

/** Code that both clients share for making calls. */
final class CallWriter {
  /** By its name, because the path of processors need not have the annotation. */
  private static final AnnotationSpec NULLABLE =
      AnnotationSpec.builder(ClassName.get("org.jspecify.annotations", "Nullable")).build();

  private CallWriter() {}

  /** Begins a client: a class with the caller that carries its calls. */
  static TypeSpec.Builder client(String name, TypeName contract) {
    return TypeSpec.classBuilder(name)
        .addModifiers(Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
        .addSuperinterface(contract)
        .addField(ServiceCaller.class, "caller", Modifier.PRIVATE, Modifier.FINAL)
        .addMethod(
            MethodSpec.constructorBuilder()
                .addParameter(ServiceCaller.class, "caller")
                .addStatement("this.caller = caller")
                .build());
  }

  /** Returns a type as callers see it. */
  static TypeName annotated(Shape shape) {
    return shape instanceof Shape.OrNull ? shape.java().annotated(NULLABLE) : shape.java();
  }

  /** Adds an operation's parameters, with nullness annotations on request. */
  static void addParameters(MethodSpec.Builder method, Operation operation, boolean annotated) {
    for (Argument argument : operation.arguments()) {
      TypeName type = annotated ? annotated(argument.shape()) : argument.shape().java();
      method.addParameter(ParameterSpec.builder(type, argument.name()).build());
    }
    method.varargs(operation.element().isVarArgs());
  }

  /** Adds a check of each argument that must not be null. */
  static void addNullChecks(MethodSpec.Builder method, Operation operation, GeneratedNames names) {
    for (Argument argument : operation.arguments()) {
      if (!Values.mayBeNull(argument.shape())) {
        method.addStatement(
            "$L.argument($L, $S)", names.constant(operation), argument.name(), argument.name());
      }
    }
  }

  /** Returns the lambda that writes the arguments. */
  static CodeBlock writer(Operation operation, GeneratedNames names) {
    NameAllocator locals = locals(operation);
    CodeBlock out = CodeBlock.of("$L", locals.newName("out"));
    List<CodeBlock> writes =
        operation.arguments().stream()
            .map(a -> names.write(a.shape(), out, CodeBlock.of("$L", a.name()), false))
            .toList();
    if (writes.size() == 1) {
      return CodeBlock.of("$L -> $L", out, writes.getFirst());
    }
    CodeBlock.Builder lambda = CodeBlock.builder().add("$L -> {", out);
    if (!writes.isEmpty()) {
      lambda.add("\n").indent();
      writes.forEach(write -> lambda.add("$L;\n", write));
      lambda.unindent();
    }
    return lambda.add("}").build();
  }

  /**
   * Returns the arguments of a call method: the method, its landing if it has one, its arguments.
   */
  static CodeBlock arguments(Operation operation, GeneratedNames names) {
    Argument landing = operation.landing();
    CodeBlock writer = writer(operation, names);
    return landing == null
        ? CodeBlock.of("$L, $L", names.constant(operation), writer)
        : CodeBlock.of("$L, $L, $L", names.constant(operation), landing.name(), writer);
  }

  /** Returns names that do not hide an argument. */
  static NameAllocator locals(Operation operation) {
    NameAllocator locals = new NameAllocator();
    operation.arguments().forEach(argument -> locals.newName(argument.name()));
    return locals;
  }
}
