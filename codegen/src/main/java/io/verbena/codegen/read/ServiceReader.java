package io.verbena.codegen.read;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.TypeName;
import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import io.verbena.codegen.model.Bulk;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Operation.Argument;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.MirroredTypesException;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** Reads one contract. An instance is used once. */
public final class ServiceReader {
  /** Exceptions that tell no more than a status. */
  private static final Set<String> TOO_WIDE =
      Set.of("java.lang.Throwable", "java.lang.Exception", "java.lang.RuntimeException");

  private final Declarations declarations;
  private final Elements elements;
  private final Types types;
  private final Reporter reporter;

  /** Makes a reader that reports to this reporter only. */
  public ServiceReader(ProcessingEnvironment environment, Reporter reporter) {
    this.declarations = new Declarations(environment);
    this.elements = environment.getElementUtils();
    this.types = environment.getTypeUtils();
    this.reporter = reporter;
  }

  /** Returns the contract, with gaps for reported errors; null if it is not a contract at all. */
  public @Nullable Service read(TypeElement contract) {
    Visibility access = new Visibility(elements, declarations, elements.getPackageOf(contract));
    if (contract.getKind() != ElementKind.INTERFACE) {
      reporter.error(contract, RpcDiagnostic.NOT_AN_INTERFACE, contract.getSimpleName());
      return null;
    }
    if (!contract.getTypeParameters().isEmpty()) {
      reporter.error(contract, RpcDiagnostic.GENERIC_SERVICE, contract.getSimpleName());
      return null;
    }
    if (!access.sees(contract)) {
      reporter.error(contract, RpcDiagnostic.PRIVATE_SERVICE, contract.getSimpleName());
      return null;
    }
    RpcService annotation = contract.getAnnotation(RpcService.class);
    ShapeReader shapes = new ShapeReader(types, access, reporter);
    new SerializerReader(shapes, types, access, reporter).read(serializers(annotation), contract);
    List<Operation> operations = operations(contract, access, shapes);
    shapes.checkInstances();
    ClassName type = ClassName.get(contract);
    return new Service(
        contract,
        type,
        ClassName.get(type.packageName(), String.join("_", type.simpleNames()) + "Rpc"),
        annotation.name(),
        isPublic(contract),
        operations,
        shapes.definitions());
  }

  private static List<TypeMirror> serializers(RpcService annotation) {
    try {
      annotation.serializers();
      return List.of();
    } catch (MirroredTypesException classes) { // javac has types instead of classes here
      return List.copyOf(classes.getTypeMirrors());
    }
  }

  private static boolean isPublic(TypeElement type) {
    Element element = type;
    while (element != null && element.getKind() != ElementKind.PACKAGE) {
      if (!element.getModifiers().contains(Modifier.PUBLIC)) {
        return false;
      }
      element = element.getEnclosingElement();
    }
    return true;
  }

  private List<Operation> operations(TypeElement contract, Visibility access, ShapeReader shapes) {
    List<ExecutableElement> methods =
        access.methods(contract).stream()
            .filter(method -> isOf(contract, method) && !isObjects(method))
            .toList();
    int free =
        1
            + methods.stream()
                .map(method -> method.getAnnotation(RpcMethod.class))
                .mapToInt(a -> a == null ? 0 : a.id())
                .max()
                .orElse(0);
    List<Operation> operations = new ArrayList<>();
    for (ExecutableElement method : methods) {
      RpcMethod annotation = method.getAnnotation(RpcMethod.class);
      boolean isAbstract = method.getModifiers().contains(Modifier.ABSTRACT);
      Element site = access.site(method, contract);
      String name = method.getSimpleName().toString();
      if (!isAbstract && annotation != null) {
        reporter.error(site, RpcDiagnostic.NOT_ABSTRACT, name);
      } else if (isAbstract && annotation == null) {
        reporter.error(site, RpcDiagnostic.MISSING_RPC_METHOD, name, free);
      } else if (isAbstract && !method.getTypeParameters().isEmpty()) {
        reporter.error(site, RpcDiagnostic.GENERIC_METHOD, name);
      } else if (annotation != null && isSuspended(method)) {
        reporter.error(site, RpcDiagnostic.SUSPEND, name);
      } else if (annotation != null && lacksNames(method, site)) {
        reporter.error(
            site,
            RpcDiagnostic.NO_PARAMETER_NAMES,
            String.valueOf(method.getEnclosingElement()),
            name);
      } else if (annotation != null && isObjectsWithAnotherResult(method)) {
        reporter.error(site, RpcDiagnostic.METHOD_OF_OBJECT, name);
      } else if (annotation != null) {
        operations.add(operation(contract, method, annotation, access, shapes));
      }
    }
    operations.sort(Comparator.comparingInt(Operation::id));
    return operations;
  }

  /** Returns whether a contract declares or inherits a method of its hierarchy. */
  private static boolean isOf(TypeElement contract, ExecutableElement method) {
    Set<Modifier> modifiers = method.getModifiers();
    return contract.equals(method.getEnclosingElement())
        || !(modifiers.contains(Modifier.STATIC) || modifiers.contains(Modifier.PRIVATE));
  }

  /** Returns whether a method restates one of Object's, which is not called remotely. */
  private boolean isObjects(ExecutableElement method) {
    TypeElement object = elements.getTypeElement("java.lang.Object");
    return method.getAnnotation(RpcMethod.class) == null
        && ElementFilter.methodsIn(object.getEnclosedElements()).stream()
            .anyMatch(own -> elements.overrides(method, own, object) || restates(method, own));
  }

  /** Kotlin's suspend functions get their continuation as a last parameter. */
  private static boolean isSuspended(ExecutableElement method) {
    List<? extends VariableElement> parameters = method.getParameters();
    return !parameters.isEmpty()
        && parameters.getLast().asType() instanceof DeclaredType type
        && ((TypeElement) type.asElement())
            .getQualifiedName()
            .contentEquals("kotlin.coroutines.Continuation");
  }

  /** The compiler makes up names where a class file has none. One parameter cannot be swapped. */
  private boolean lacksNames(ExecutableElement method, Element site) {
    List<? extends VariableElement> parameters = method.getParameters();
    return !site.equals(method)
        && parameters.size() > 1
        && IntStream.range(0, parameters.size())
            .allMatch(i -> declarations.name(parameters.get(i)).equals("arg" + i));
  }

  /** A class can neither have the method with a CompletionStage, nor a clone() of a primitive. */
  private boolean isObjectsWithAnotherResult(ExecutableElement method) {
    TypeElement object = elements.getTypeElement("java.lang.Object");
    return ElementFilter.methodsIn(object.getEnclosedElements()).stream()
        .filter(own -> restates(method, own))
        .anyMatch(
            own ->
                !types.isSameType(own.getReturnType(), object.asType())
                    || !types.isSubtype(method.getReturnType(), object.asType()));
  }

  private boolean restates(ExecutableElement method, ExecutableElement own) {
    return method.getSimpleName().equals(own.getSimpleName())
        && types.isSubsignature((ExecutableType) method.asType(), (ExecutableType) own.asType());
  }

  private Operation operation(
      TypeElement contract,
      ExecutableElement method,
      RpcMethod annotation,
      Visibility access,
      ShapeReader shapes) {
    // The contract may fix the type arguments of an interface that it inherits from.
    ExecutableType type =
        contract.equals(method.getEnclosingElement())
            ? (ExecutableType) method.asType()
            : (ExecutableType) types.asMemberOf((DeclaredType) contract.asType(), method);
    Element site = access.site(method, contract);
    List<Argument> arguments = new ArrayList<>();
    for (int i = 0; i < method.getParameters().size(); i++) {
      VariableElement parameter = method.getParameters().get(i);
      boolean nullable =
          Visibility.isNullable(parameter) || Visibility.isNullable(parameter.asType());
      TypeMirror parameterType = type.getParameterTypes().get(i);
      Shape shape =
          Visibility.is(parameterType, Landing.class)
              ? Bulk.LANDING
              : shapes.readWhole(parameterType, nullable, access.site(parameter, contract));
      if (shape != null) {
        arguments.add(new Argument(declarations.name(parameter), shape));
      }
    }
    Shape result = null;
    if (type.getReturnType().getKind() != TypeKind.VOID) {
      boolean nullable =
          Visibility.isNullable(method) || Visibility.isNullable(method.getReturnType());
      result =
          Visibility.is(type.getReturnType(), Received.class)
              ? Bulk.RECEIVED
              : shapes.readWhole(type.getReturnType(), nullable, site);
    }
    List<Shape.Named> errors = new ArrayList<>();
    List<TypeName> unsent = new ArrayList<>();
    readErrors(method.getSimpleName().toString(), type, shapes, site, errors, unsent);
    return new Operation(
        method,
        annotation.id(),
        method.getSimpleName().toString(),
        annotation.idempotent(),
        annotation.oneway(),
        annotation.nonBlocking(),
        Timeouts.parse(annotation.timeout()),
        arguments,
        result,
        errors,
        catchOrder(type),
        unsent,
        javadoc(method));
  }

  private void readErrors(
      String method,
      ExecutableType type,
      ShapeReader shapes,
      Element site,
      List<Shape.Named> errors,
      List<TypeName> unsent) {
    for (TypeMirror thrown : type.getThrownTypes()) {
      if (thrown.getKind() == TypeKind.ERROR) {
        throw new UnresolvedTypeException(thrown.toString());
      }
      DeclaredType declared = (DeclaredType) thrown;
      String name = ((TypeElement) declared.asElement()).getQualifiedName().toString();
      if (name.equals(RpcException.class.getName())) {
        unsent.add(ClassName.get(RpcException.class));
      } else if (Visibility.is(declared, InterruptedException.class)) {
        reporter.error(site, RpcDiagnostic.INTERRUPTED, method);
      } else if (TOO_WIDE.contains(name) || isError(declared)) {
        reporter.error(site, RpcDiagnostic.EXCEPTION_TOO_WIDE, name);
      } else {
        Shape.Named error = shapes.readException(declared, site);
        if (error != null && !errors.contains(error)) {
          errors.add(error);
        }
      }
    }
  }

  /** Returns the exceptions in an order in which each is caught before its superclasses. */
  private List<String> catchOrder(ExecutableType type) {
    List<? extends TypeMirror> thrown = type.getThrownTypes();
    return thrown.stream()
        .sorted(
            Comparator.comparingLong(
                    (TypeMirror t) -> thrown.stream().filter(s -> types.isSubtype(t, s)).count())
                .reversed())
        .map(TypeMirror::toString)
        .distinct()
        .toList();
  }

  private boolean isError(DeclaredType thrown) {
    return types.isSubtype(thrown, elements.getTypeElement("java.lang.Error").asType());
  }

  private String javadoc(ExecutableElement method) {
    String comment = elements.getDocComment(method);
    return comment == null ? "" : comment.strip().replaceAll("(?m)^ ", "").replace("*/", "*&#47;");
  }
}
