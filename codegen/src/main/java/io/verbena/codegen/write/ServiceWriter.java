package io.verbena.codegen.write;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.verbena.api.CallOptions;
import io.verbena.api.Channel;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.codegen.VerbenaProcessor;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;

/** Writes the one class that is generated for a contract. */
public final class ServiceWriter {
  /** The annotation is in {@code java.compiler}, which a contract's module need not require. */
  public static final String GENERATED = "javax.annotation.processing.Generated";

  private final Service service;
  private final GeneratedNames names;

  private ServiceWriter(Service service, Elements elements) {
    this.service = service;
    this.names = new GeneratedNames(service, elements);
  }

  /** Returns the source of the generated class. */
  public static JavaFile write(Service service, Elements elements) {
    TypeSpec type = new ServiceWriter(service, elements).type(elements);
    JavaFile.Builder file = JavaFile.builder(service.generated().packageName(), type).indent("  ");
    JavaFile complete = file.build();
    return needsJavaLang(complete, service.element(), elements)
        ? complete
        : file.skipJavaLangImports(true).build();
  }

  /** Returns whether the package has a class of its own by a name that is meant of java.lang. */
  private static boolean needsJavaLang(JavaFile file, TypeElement contract, Elements elements) {
    PackageElement home = elements.getPackageOf(contract);
    String prefix = home.isUnnamed() ? "" : home.getQualifiedName() + ".";
    Pattern imports = Pattern.compile("^import java\\.lang\\.(\\w+);$", Pattern.MULTILINE);
    return imports
        .matcher(file.toString())
        .results()
        .map(
            line -> elements.getTypeElement(elements.getModuleOf(contract), prefix + line.group(1)))
        .anyMatch(Objects::nonNull);
  }

  private TypeSpec type(Elements elements) {
    TypeSpec.Builder type =
        TypeSpec.classBuilder(service.generated())
            .addOriginatingElement(service.element())
            .alwaysQualify(names.hidden().toArray(String[]::new))
            .addJavadoc("Clients and binding of {@link $T}.\n", service.type());
    if (elements.getTypeElement(elements.getModuleOf(service.element()), GENERATED) != null) {
      type.addAnnotation(
          AnnotationSpec.builder(ClassName.bestGuess(GENERATED))
              .addMember("value", "$S", VerbenaProcessor.class.getName())
              .build());
    }
    type.addAnnotation(suppressions()).addModifiers(visibility()).addModifiers(Modifier.FINAL);
    service.operations().forEach(operation -> type.addField(descriptor(operation)));
    type.addField(serviceDescriptor());
    type.addMethod(MethodSpec.constructorBuilder().addModifiers(Modifier.PRIVATE).build());
    addFactories(type, "client", service.type(), "Client", "a blocking client");
    addFactories(
        type,
        "async",
        service.generated().nestedClass("Async"),
        "AsyncClient",
        "a client whose methods return at once");
    type.addMethod(bind());
    AsyncWriter async = new AsyncWriter(service, names);
    type.addType(async.contract());
    type.addType(new ClientWriter(service, names).type());
    type.addType(async.type());
    type.addType(new ServerWriter(service, names).type());
    type.addMethods(new SchemaWriter(service, names).methods());
    type.addType(new WireWriter(service, names).type());
    return type.build();
  }

  private Modifier[] visibility() {
    return service.isPublic() ? new Modifier[] {Modifier.PUBLIC} : new Modifier[0];
  }

  /** A contract may use deprecated types. Nullness is checked at run time, where it matters. */
  private AnnotationSpec suppressions() {
    boolean genericArrays =
        names.composites().values().stream()
            .anyMatch(shape -> shape instanceof Shape.Array array && Values.isGeneric(array));
    String warnings = "{\"NullAway\", \"deprecation\", \"removal\"";
    return AnnotationSpec.builder(SuppressWarnings.class)
        .addMember("value", warnings + (genericArrays ? ", \"rawtypes\", \"unchecked\"}" : "}"))
        .build();
  }

  private FieldSpec descriptor(Operation operation) {
    Shape result = operation.result();
    TypeName resultType = result == null ? TypeName.VOID.box() : result.java().box();
    CodeBlock errors = operation.errors().isEmpty() ? CodeBlock.of("null") : errorReader(operation);
    return FieldSpec.builder(
            ParameterizedTypeName.get(ClassName.get(MethodDescriptor.class), resultType),
            names.constant(operation),
            Modifier.PRIVATE,
            Modifier.STATIC,
            Modifier.FINAL)
        .initializer(
            "new $T<>(\n$>$>$S, $L, $S, $L, $L, $L, $LL, $L, $L$L$<$<)",
            MethodDescriptor.class,
            service.name(),
            operation.id(),
            operation.name(),
            operation.idempotent(),
            operation.oneway(),
            operation.nonBlocking(),
            operation.timeoutNanos(),
            result == null ? CodeBlock.of("in -> null") : names.reader(result),
            errors,
            operation.streaming() ? ", true" : "")
        .build();
  }

  private CodeBlock errorReader(Operation operation) {
    CodeBlock.Builder reader =
        CodeBlock.builder().add("(index, in) -> switch (index) {\n").indent();
    for (int i = 0; i < operation.errors().size(); i++) {
      reader.add(
          "case $L -> $L;\n", i, names.read(operation.errors().get(i), CodeBlock.of("in"), false));
    }
    return reader.add("default -> null;\n").unindent().add("}").build();
  }

  private FieldSpec serviceDescriptor() {
    CodeBlock methods =
        service.operations().stream()
            .map(operation -> CodeBlock.of("$L", names.constant(operation)))
            .collect(CodeBlock.joining(", "));
    return FieldSpec.builder(
            ParameterizedTypeName.get(ClassName.get(ServiceDescriptor.class), service.type()),
            "SERVICE")
        .addJavadoc("The contract, as servers and sessions see it.\n")
        .addModifiers(visibility())
        .addModifiers(Modifier.STATIC, Modifier.FINAL)
        .initializer(
            "new $T<>(\n$>$>$T.class,\n$S,\nschema(),\n$T.of($L),\nClient::new$<$<)",
            ServiceDescriptor.class,
            service.type(),
            service.name(),
            List.class,
            methods)
        .build();
  }

  private void addFactories(
      TypeSpec.Builder type, String method, TypeName returned, String made, String what) {
    type.addMethod(
        MethodSpec.methodBuilder(method)
            .addJavadoc("Returns $L over a session or another channel.\n", what)
            .addModifiers(visibility())
            .addModifiers(Modifier.STATIC)
            .returns(returned)
            .addParameter(Channel.class, "channel")
            .addStatement("return $L(channel, $T.DEFAULT)", method, CallOptions.class)
            .build());
    type.addMethod(
        MethodSpec.methodBuilder(method)
            .addJavadoc(
                "Returns $L over a session or another channel, with options for each of its"
                    + " calls.\n",
                what)
            .addModifiers(visibility())
            .addModifiers(Modifier.STATIC)
            .returns(returned)
            .addParameter(Channel.class, "channel")
            .addParameter(CallOptions.class, "options")
            .addStatement("return new $L(channel.caller(SERVICE, options))", made)
            .build());
  }

  private MethodSpec bind() {
    return MethodSpec.methodBuilder("bind")
        .addJavadoc("Returns an implementation together with its contract, to be served.\n")
        .addModifiers(visibility())
        .addModifiers(Modifier.STATIC)
        .returns(ServiceBinding.class)
        .addParameter(service.type(), "implementation")
        .addStatement("return new $T(SERVICE, new Server(implementation))", ServiceBinding.class)
        .build();
  }
}
