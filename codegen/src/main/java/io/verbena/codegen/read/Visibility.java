package io.verbena.codegen.read;

import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.AnnotatedConstruct;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/**
 * The view of generated code on types, and the places of reports.
 *
 * @param home the package of the generated code
 */
record Visibility(Elements elements, Declarations declarations, PackageElement home) {
  private static final Set<String> NULLABLE = Set.of("Nullable", "CheckForNull");

  /** Returns whether generated code may use a type, method or constructor. */
  boolean sees(Element element) {
    boolean samePackage = elements.getPackageOf(element).equals(home);
    for (Element e = element; e != null && e.getKind() != ElementKind.PACKAGE; ) {
      Set<Modifier> modifiers = e.getModifiers();
      boolean visible =
          modifiers.contains(Modifier.PUBLIC)
              || (samePackage && !modifiers.contains(Modifier.PRIVATE));
      if (!visible) {
        return false;
      }
      e = e.getEnclosingElement();
    }
    return true;
  }

  /** Returns whether generated code may make a value by a constructor without parameters. */
  boolean makes(TypeElement type) {
    return ElementFilter.constructorsIn(type.getEnclosedElements()).stream()
        .anyMatch(constructor -> constructor.getParameters().isEmpty() && sees(constructor));
  }

  /**
   * Returns the fields or constants as they were declared; null if it reported an unknown order.
   */
  @Nullable List<VariableElement> fields(
      TypeElement type, ElementKind kind, Element outer, Reporter reporter) {
    List<VariableElement> fields = declarations.fields(type, kind);
    if (fields == null) {
      reporter.error(site(type, outer), RpcDiagnostic.UNKNOWN_ORDER, type.getSimpleName());
    }
    return fields;
  }

  /** Returns whether a type is this class or interface, with any type arguments. */
  static boolean is(TypeMirror type, Class<?> named) {
    return type instanceof DeclaredType declared
        && ((TypeElement) declared.asElement())
            .getQualifiedName()
            .contentEquals(named.getCanonicalName());
  }

  /** Returns the inner element if it has source code to point at, else the outer one. */
  Element site(Element inner, Element outer) {
    return declarations.hasSource(inner) ? inner : outer;
  }

  /** Returns whether a use of a type, or a declaration, is annotated as nullable. */
  static boolean isNullable(AnnotatedConstruct construct) {
    return construct.getAnnotationMirrors().stream()
        .map(mirror -> mirror.getAnnotationType().asElement().getSimpleName().toString())
        .anyMatch(NULLABLE::contains);
  }

  /** Returns a type and all its supertypes, the type first. */
  static Collection<TypeElement> hierarchy(TypeElement type) {
    Set<TypeElement> all = new LinkedHashSet<>();
    addHierarchy(type, all);
    return all;
  }

  private static void addHierarchy(TypeElement type, Set<TypeElement> to) {
    if (!to.add(type)) {
      return; // by another way
    }
    List<TypeMirror> parents = new ArrayList<>(type.getInterfaces());
    parents.addFirst(type.getSuperclass());
    for (TypeMirror parent : parents) {
      if (parent.getKind() == TypeKind.DECLARED) {
        addHierarchy((TypeElement) ((DeclaredType) parent).asElement(), to);
      }
    }
  }

  /**
   * Returns the methods of a type as they are declared, those of supertypes first, without those
   * that others override. Elements.getAllMembers puts type arguments into inherited methods, and
   * loses the names of their parameters, if the compiler is Eclipse's.
   */
  List<ExecutableElement> methods(TypeElement type) {
    List<ExecutableElement> all =
        hierarchy(type).stream().toList().reversed().stream()
            .flatMap(declaring -> ElementFilter.methodsIn(declaring.getEnclosedElements()).stream())
            .toList();
    return all.stream()
        .filter(one -> all.stream().noneMatch(by -> overrides(by, one, type)))
        .toList();
  }

  private boolean overrides(ExecutableElement by, ExecutableElement one, TypeElement in) {
    return by.getSimpleName().equals(one.getSimpleName())
        && !by.equals(one)
        && elements.overrides(by, one, in)
        && !elements.overrides(one, by, in); // Eclipse's compiler says both of generic supertypes
  }

  /** Returns the accessible methods with these names and so many parameters, by name in turn. */
  List<ExecutableElement> accessors(TypeElement type, List<String> names, int parameters) {
    return methods(type).stream()
        .filter(method -> method.getParameters().size() == parameters)
        .filter(method -> !method.getModifiers().contains(Modifier.STATIC))
        .filter(method -> names.contains(method.getSimpleName().toString()))
        .filter(this::sees)
        .sorted(Comparator.comparingInt(m -> names.indexOf(m.getSimpleName().toString())))
        .toList();
  }
}
