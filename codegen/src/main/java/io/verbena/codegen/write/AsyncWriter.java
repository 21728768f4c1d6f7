package io.verbena.codegen.write;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.List;
import java.util.concurrent.CompletionStage;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;

/** Writes the async contract and its client. */
final class AsyncWriter {
  private final Service service;
  private final GeneratedNames names;

  AsyncWriter(Service service, GeneratedNames names) {
    this.service = service;
    this.names = names;
  }

  /** Returns the async interface. */
  TypeSpec contract() {
    TypeSpec.Builder type =
        TypeSpec.interfaceBuilder("Async")
            .addJavadoc("{@link $T}, with methods that return at once.\n", service.type())
            .addModifiers(Modifier.STATIC);
    type.addModifiers(service.isPublic() ? new Modifier[] {Modifier.PUBLIC} : new Modifier[0]);
    type.addAnnotations(deprecation(service.element()));
    for (Operation operation : service.operations()) {
      MethodSpec.Builder method = signature(operation, true).addModifiers(Modifier.ABSTRACT);
      method.addAnnotations(deprecation(operation.element()));
      if (!operation.javadoc().isEmpty()) {
        method.addJavadoc("$L\n", operation.javadoc());
      }
      type.addMethod(method.build());
    }
    return type.build();
  }

  /** Returns its implementation. */
  TypeSpec type() {
    TypeSpec.Builder type =
        CallWriter.client("AsyncClient", service.generated().nestedClass("Async"));
    for (Operation operation : service.operations()) {
      MethodSpec.Builder method = signature(operation, false).addAnnotation(Override.class);
      CallWriter.addNullChecks(method, operation, names);
      method.addStatement(
          operation.oneway() ? "this.caller.send($L)" : "return this.caller.submit($L)",
          CallWriter.arguments(operation, names));
      type.addMethod(method.build());
    }
    return type.build();
  }

  /** Returns the deprecation of an element; empty if it is not deprecated. */
  private static List<AnnotationSpec> deprecation(Element element) {
    return element.getAnnotationMirrors().stream()
        .map(AnnotationSpec::get)
        .filter(annotation -> annotation.type().equals(ClassName.get(Deprecated.class)))
        .toList();
  }

  private MethodSpec.Builder signature(Operation operation, boolean annotated) {
    MethodSpec.Builder method =
        MethodSpec.methodBuilder(operation.name()).addModifiers(Modifier.PUBLIC);
    CallWriter.addParameters(method, operation, annotated);
    if (operation.oneway()) {
      return method;
    }
    Shape result = operation.result();
    TypeName type =
        result == null
            ? TypeName.VOID.box()
            : annotated ? CallWriter.annotated(result).box() : result.java().box();
    return method.returns(ParameterizedTypeName.get(ClassName.get(CompletionStage.class), type));
  }
}
