package io.verbena.codegen.write;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.NameAllocator;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeSpec;
import com.palantir.javapoet.WildcardTypeName;
import io.verbena.api.stub.Dispatcher;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.codegen.model.Bulk;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Operation.Argument;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.lang.model.element.Modifier;

/** Writes the dispatcher, which decodes arguments and encodes the results of the implementation. */
final class ServerWriter {
  private final Service service;
  private final GeneratedNames names;

  ServerWriter(Service service, GeneratedNames names) {
    this.service = service;
    this.names = names;
  }

  TypeSpec type() {
    TypeSpec.Builder type =
        TypeSpec.classBuilder("Server")
            .addModifiers(Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
            .addSuperinterface(Dispatcher.class)
            .addField(service.type(), "service", Modifier.PRIVATE, Modifier.FINAL)
            .addMethod(
                MethodSpec.constructorBuilder()
                    .addParameter(service.type(), "service")
                    .addStatement(
                        "this.service = $T.requireNonNull(service, $S)",
                        Objects.class,
                        "implementation")
                    .build())
            .addMethod(dispatch());
    service.operations().forEach(operation -> type.addMethod(handler(operation)));
    return type.build();
  }

  private MethodSpec dispatch() {
    MethodSpec.Builder method =
        MethodSpec.methodBuilder("dispatch")
            .addAnnotation(Override.class)
            .addModifiers(Modifier.PUBLIC)
            .addParameter(
                ParameterizedTypeName.get(
                    ClassName.get(MethodDescriptor.class),
                    WildcardTypeName.subtypeOf(Object.class)),
                "method")
            .addParameter(WireIn.class, "in")
            .addParameter(IncomingCall.class, "call")
            .beginControlFlow("switch (method.id())");
    for (Operation operation : service.operations()) {
      method.addStatement("case $L -> $L(in, call)", operation.id(), handlerName(operation));
    }
    return method
        .addStatement(
            "default -> throw new $T($S + method.id())",
            IllegalArgumentException.class,
            service.name() + " has no method ")
        .endControlFlow()
        .build();
  }

  private static String handlerName(Operation operation) {
    return operation.name() + "_" + operation.id();
  }

  private MethodSpec handler(Operation operation) {
    NameAllocator locals = CallWriter.locals(operation);
    String in = locals.newName("in");
    String call = locals.newName("call");
    MethodSpec.Builder method =
        MethodSpec.methodBuilder(handlerName(operation))
            .addModifiers(Modifier.PRIVATE)
            .addParameter(WireIn.class, in)
            .addParameter(IncomingCall.class, call);
    for (Argument argument : operation.arguments()) {
      addRead(method, operation, argument, in);
    }
    TypeSpec runs = runs(operation, locals);
    if (operation.arguments().isEmpty()) {
      return method.addStatement("$L.handle($L)", call, runs).build();
    }
    String handler = locals.newName("handler");
    return method
        .addStatement("$T $L = $L", Handler.class, handler, runs)
        .beginControlFlow("if ($L.isIntercepted())", call)
        .addStatement("$L.handle($L, new $T[] {$L})", call, handler, Object.class, names(operation))
        .nextControlFlow("else")
        .addStatement("$L.handle($L)", call, handler)
        .endControlFlow()
        .build();
  }

  private static CodeBlock names(Operation operation) {
    return operation.arguments().stream()
        .map(argument -> CodeBlock.of("$L", argument.name()))
        .collect(CodeBlock.joining(", "));
  }

  /** Returns a call of the method with the arguments that interceptors pass on. */
  private CodeBlock intercepted(Operation operation, String reply, NameAllocator locals) {
    CodeBlock.Builder lambda = CodeBlock.builder().add("() -> {\n").indent();
    List<CodeBlock> taken = new ArrayList<>();
    for (Argument argument : operation.arguments()) {
      Shape shape = argument.shape();
      String name = locals.newName(argument.name());
      CodeBlock handedOn =
          CodeBlock.of("$L.<$T>argument($L)", reply, shape.java().box(), taken.size());
      if (!(shape instanceof Shape.OrNull)) {
        handedOn =
            CodeBlock.of(
                "$L.argument($L, $S)", names.constant(operation), handedOn, argument.name());
      }
      lambda.add("$T $L = $L;\n", shape.java(), name, handedOn);
      taken.add(CodeBlock.of("$L", name));
    }
    CodeBlock invocation =
        CodeBlock.of("Server.this.service.$L($L)", operation.name(), CodeBlock.join(taken, ", "));
    lambda.add("$L.begin();\n", reply);
    lambda.add(operation.result() == null ? "$L;\nreturn null;\n" : "return $L;\n", invocation);
    return lambda.unindent().add("}").build();
  }

  private void addRead(
      MethodSpec.Builder method, Operation operation, Argument argument, String in) {
    Shape shape = argument.shape();
    CodeBlock read = names.read(shape, CodeBlock.of("$L", in), false);
    if (shape.hasDefault()) {
      method.addStatement(
          "$T $L = $L.atEnd() ? $L : $L",
          shape.java(),
          argument.name(),
          in,
          Values.defaultOf(shape),
          read);
      return;
    }
    method
        .beginControlFlow("if ($L.atEnd())", in)
        .addStatement(
            "throw $T.missing($S)",
            WireException.class,
            "argument '" + argument.name() + "' of " + operation.name())
        .endControlFlow()
        .addStatement("$T $L = $L", shape.java(), argument.name(), read);
  }

  /**
   * Returns the handler. It is a class, because a lambda would add a stack frame before the method.
   */
  private TypeSpec runs(Operation operation, NameAllocator locals) {
    String reply = locals.newName("reply");
    return TypeSpec.anonymousClassBuilder("")
        .addSuperinterface(Handler.class)
        .addMethod(
            MethodSpec.methodBuilder("run")
                .addAnnotation(Override.class)
                .addModifiers(Modifier.PUBLIC)
                .addParameter(Reply.class, reply)
                .addException(Exception.class)
                .addCode(body(operation, reply, locals))
                .build())
        .build();
  }

  private CodeBlock body(Operation operation, String reply, NameAllocator locals) {
    CodeBlock.Builder body = CodeBlock.builder();
    Shape result = operation.result();
    CodeBlock plain =
        CodeBlock.of("Server.this.service.$L($L)", operation.name(), names(operation));
    CodeBlock intercepted = intercepted(operation, reply, locals);
    CodeBlock invocation =
        result == null
            ? voidInvocation(reply, plain, intercepted, locals.newName("none"))
            : CodeBlock.of(
                "$1L.isIntercepted() ? $1L.<$2T>intercepted($3L) : $4L",
                reply,
                result.java().box(),
                intercepted,
                plain);
    String value = locals.newName("result");
    if (operation.errors().isEmpty()) {
      if (result == null) {
        body.add(invocation);
      } else {
        body.addStatement("$T $L = $L", result.java(), value, invocation);
      }
    } else {
      addInvocationWithErrors(body, operation, invocation, value, reply, locals.newName("e"));
    }
    if (result != null) {
      CodeBlock checked =
          Values.mayBeNull(result)
              ? CodeBlock.of("$L", value)
              : CodeBlock.of("$L.returned($L)", names.constant(operation), value);
      CodeBlock out = CodeBlock.of("$L.result()", reply);
      body.addStatement(
          "$L",
          result == Bulk.RECEIVED
              ? CodeBlock.of("$L.received($L)", reply, checked)
              : names.write(result, out, checked, false));
    }
    return body.build();
  }

  /** Keeps the result, so that its type is checked. */
  private static CodeBlock voidInvocation(
      String reply, CodeBlock plain, CodeBlock intercepted, String none) {
    return CodeBlock.builder()
        .beginControlFlow("if ($L.isIntercepted())", reply)
        .addStatement("$1T $2L = $3L.<$1T>intercepted($4L)", Void.class, none, reply, intercepted)
        .nextControlFlow("else")
        .addStatement("$L", plain)
        .endControlFlow()
        .build();
  }

  private void addInvocationWithErrors(
      CodeBlock.Builder body,
      Operation operation,
      CodeBlock invocation,
      String value,
      String reply,
      String e) {
    Shape result = operation.result();
    if (result != null) {
      body.addStatement("$T $L", result.java(), value);
    }
    body.beginControlFlow("try");
    if (result == null) {
      body.add(invocation);
    } else {
      body.addStatement("$L = $L", value, invocation);
    }
    for (Shape.Named error : operation.errorsToCatch()) {
      CodeBlock out = CodeBlock.of("$L.error($L, $L)", reply, operation.errors().indexOf(error), e);
      body.nextControlFlow("catch ($T $L)", error.java(), e);
      body.addStatement("$L", names.write(error, out, CodeBlock.of("$L", e), false));
      if (result != null) {
        body.addStatement("return");
      }
    }
    body.endControlFlow();
  }
}
