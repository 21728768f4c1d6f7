package io.verbena.codegen.read;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import io.verbena.api.RpcUnknown;
import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import java.lang.annotation.Annotation;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;

/** Finds annotations of Verbena that have no effect where they stand, in all rounds. */
public final class Placement {
  private final Elements elements;

  /** The names of interfaces with RPC methods that are no contracts. */
  private final Set<String> noContracts = new LinkedHashSet<>();

  /** The names of contracts. */
  private final Set<String> contracts = new HashSet<>();

  /** Makes one for one compilation. */
  public Placement(ProcessingEnvironment environment) {
    this.elements = environment.getElementUtils();
  }

  /** Reports what is misplaced in the sources of a round. */
  public void check(RoundEnvironment round, Reporter reporter) {
    for (Element contract : round.getElementsAnnotatedWith(RpcService.class)) {
      contracts.add(nameOf(contract));
    }
    for (Element method : round.getElementsAnnotatedWith(RpcMethod.class)) {
      if (method.getEnclosingElement() instanceof TypeElement owner
          && owner.getAnnotation(RpcService.class) == null) { // a contract is checked as a whole
        checkMethod(method, owner, reporter);
      }
    }
    for (Element type : round.getElementsAnnotatedWith(RpcType.class)) {
      if (!isSubtypeOfSealed(type)) {
        report(reporter, type, RpcType.class, "a subtype of a sealed type");
      }
    }
    for (Element element : round.getElementsAnnotatedWith(RpcUnknown.class)) {
      if (element.getKind() != ElementKind.ENUM_CONSTANT && !isSubtypeOfSealed(element)) {
        report(
            reporter,
            element,
            RpcUnknown.class,
            "a constant of an enum, or a subtype of a sealed type");
      }
    }
  }

  /** Reports what is certain only at the end: a later round may have a contract that inherits. */
  public void end(Reporter reporter) {
    for (String name : contracts) { // what a contract inherits is of use
      Visibility.hierarchy(elements.getTypeElement(name))
          .forEach(of -> noContracts.remove(nameOf(of)));
    }
    for (String name : noContracts) {
      TypeElement type = elements.getTypeElement(name);
      reporter.error(type, RpcDiagnostic.NOT_A_CONTRACT, type.getSimpleName());
    }
  }

  private void checkMethod(Element method, TypeElement owner, Reporter reporter) {
    if (owner.getKind() != ElementKind.INTERFACE) {
      report(
          reporter, method, RpcMethod.class, "the method of the contract, which is an interface");
    } else if (owner.getTypeParameters().isEmpty()) { // else it is there to be inherited
      noContracts.add(nameOf(owner));
    }
  }

  private static String nameOf(Element type) {
    return ((TypeElement) type).getQualifiedName().toString();
  }

  private static void report(
      Reporter reporter, Element element, Class<? extends Annotation> annotation, String place) {
    reporter.error(
        element,
        RpcDiagnostic.NO_EFFECT,
        annotation.getSimpleName(),
        element.getSimpleName(),
        place);
  }

  private static boolean isSubtypeOfSealed(Element element) {
    return element instanceof TypeElement type
        && (isSealed(type.getSuperclass())
            || type.getInterfaces().stream().anyMatch(Placement::isSealed));
  }

  /** Returns whether a type is sealed, or may be because another processor will generate it. */
  private static boolean isSealed(TypeMirror type) {
    return type.getKind() == TypeKind.ERROR
        || (type instanceof DeclaredType declared
            && !((TypeElement) declared.asElement()).getPermittedSubclasses().isEmpty());
  }
}
