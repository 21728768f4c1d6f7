package io.verbena.codegen.write;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.NameAllocator;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import javax.lang.model.element.Modifier;

/** Writes the blocking client. */
final class ClientWriter {
  private final Service service;
  private final GeneratedNames names;

  ClientWriter(Service service, GeneratedNames names) {
    this.service = service;
    this.names = names;
  }

  TypeSpec type() {
    TypeSpec.Builder type = CallWriter.client("Client", service.type());
    service.operations().forEach(operation -> type.addMethod(method(operation)));
    return type.build();
  }

  private MethodSpec method(Operation operation) {
    Shape result = operation.result();
    MethodSpec.Builder method =
        MethodSpec.methodBuilder(operation.name())
            .addAnnotation(Override.class)
            .addModifiers(Modifier.PUBLIC)
            .returns(result == null ? TypeName.VOID : result.java());
    CallWriter.addParameters(method, operation, false);
    CallWriter.addNullChecks(method, operation, names);
    operation.errors().forEach(error -> method.addException(error.java()));
    CodeBlock arguments = CallWriter.arguments(operation, names);
    if (operation.oneway()) {
      return method.addStatement("this.caller.send($L)", arguments).build();
    }
    method.beginControlFlow("try");
    method.addStatement("$Lthis.caller.call($L)", result == null ? "" : "return ", arguments);
    addCatches(method, operation);
    return method.endControlFlow().build();
  }

  private void addCatches(MethodSpec.Builder method, Operation operation) {
    NameAllocator locals = CallWriter.locals(operation);
    String e = locals.newName("e");
    for (Shape.Named error : operation.errorsToCatch()) {
      method.nextControlFlow("catch ($T $L)", error.java(), e).addStatement("throw $L", e);
    }
    method.nextControlFlow("catch ($T $L)", RuntimeException.class, e).addStatement("throw $L", e);
    method
        .nextControlFlow("catch ($T $L)", Exception.class, e)
        .addStatement(
            "throw new $T($S + $L, $L)",
            IllegalStateException.class,
            operation.name() + " does not declare ",
            e,
            e);
  }
}
