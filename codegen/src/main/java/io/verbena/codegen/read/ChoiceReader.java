package io.verbena.codegen.read;

import com.palantir.javapoet.ClassName;
import io.verbena.api.RpcType;
import io.verbena.api.RpcUnknown;
import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Definition.Subtype;
import io.verbena.codegen.model.Shape;
import io.verbena.codegen.read.ShapeReader.Bindings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/**
 * Reads types whose values are one of several: enums by the index of the constant, and sealed types
 * by the id of the subtype.
 */
final class ChoiceReader {
  private final ShapeReader shapes;
  private final Types types;
  private final Visibility access;
  private final Reporter reporter;

  ChoiceReader(ShapeReader shapes, Types types, Visibility access, Reporter reporter) {
    this.shapes = shapes;
    this.types = types;
    this.access = access;
    this.reporter = reporter;
  }

  /** Reads an enum. */
  @Nullable Definition constants(TypeElement type, Shape.Named shape, Element site) {
    List<VariableElement> constants =
        access.fields(type, ElementKind.ENUM_CONSTANT, site, reporter);
    if (constants == null) {
      return null;
    }
    Element unknown = unknown(constants, type, site);
    return new Definition.Constants(
        shape.name(),
        ClassName.get(type),
        constants.stream().map(constant -> constant.getSimpleName().toString()).toList(),
        unknown == null ? null : unknown.getSimpleName().toString());
  }

  /** Returns the constant or subtype for unknown ones; null if there is none. */
  private @Nullable Element unknown(List<? extends Element> all, TypeElement type, Element site) {
    List<? extends Element> marked =
        all.stream().filter(one -> one.getAnnotation(RpcUnknown.class) != null).toList();
    if (marked.size() > 1) {
      reporter.error(
          access.site(marked.getLast(), site), RpcDiagnostic.UNKNOWN_TWICE, type.getSimpleName());
    }
    return marked.isEmpty() ? null : marked.getFirst();
  }

  /** Reads a sealed type. */
  Definition read(TypeElement sealed, List<Shape> arguments, Shape.Named shape, Element site) {
    Map<Integer, TypeElement> ids = idsOf(sealed, site);
    Element unknown = unknown(List.copyOf(ids.values()), sealed, site);
    Shape.Named standsForUnknown = null;
    List<Subtype> subtypes = new ArrayList<>();
    for (Map.Entry<Integer, TypeElement> entry : ids.entrySet()) {
      TypeElement subtype = entry.getValue();
      Element here = access.site(subtype, site);
      if (subtype(subtype, sealed, arguments, here) instanceof Shape.Named named) {
        subtypes.add(new Subtype(entry.getKey(), named));
        if (subtype.equals(unknown)) {
          standsForUnknown = named;
          checkEmpty(subtype, shapes.definitions().get(named.name()), here);
        }
      }
    }
    subtypes.sort(Comparator.comparingInt(Subtype::id));
    return new Definition.Choice(
        shape.name(), shape.java(), sealed.getSimpleName().toString(), subtypes, standsForUnknown);
  }

  /** Checks that the subtype for unknown ones has no members: it could hold nothing of theirs. */
  private void checkEmpty(TypeElement subtype, @Nullable Definition definition, Element site) {
    boolean empty = definition instanceof Definition.Members type && type.members().isEmpty();
    if (definition != null && !empty) {
      reporter.error(site, RpcDiagnostic.UNKNOWN_WITH_MEMBERS, subtype.getSimpleName());
    }
  }

  private Map<Integer, TypeElement> idsOf(TypeElement sealed, Element site) {
    List<TypeElement> permitted =
        sealed.getPermittedSubclasses().stream()
            .map(type -> (TypeElement) ((DeclaredType) type).asElement())
            .toList();
    int free =
        1
            + permitted.stream()
                .map(s -> s.getAnnotation(RpcType.class))
                .mapToInt(a -> a == null ? 0 : a.id())
                .max()
                .orElse(0);
    Map<Integer, TypeElement> ids = new LinkedHashMap<>();
    for (TypeElement subtype : permitted) {
      Element here = access.site(subtype, site);
      RpcType annotation = subtype.getAnnotation(RpcType.class);
      if (annotation == null) {
        reporter.error(
            here,
            RpcDiagnostic.SUBTYPE_WITHOUT_ID,
            subtype.getSimpleName(),
            sealed.getSimpleName(),
            free);
      } else if (annotation.id() <= 0) {
        reporter.errorAt(
            here,
            RpcType.class,
            "id",
            RpcDiagnostic.SUBTYPE_ID_NOT_POSITIVE,
            annotation.id(),
            free);
      } else if (ids.containsKey(annotation.id())) {
        Element other = ids.get(annotation.id());
        reporter.errorAt(
            here,
            RpcType.class,
            "id",
            RpcDiagnostic.SUBTYPE_DUPLICATE_ID,
            annotation.id(),
            other == null ? "" : other.getSimpleName(),
            free);
      } else {
        ids.put(annotation.id(), subtype);
      }
    }
    return ids;
  }

  private @Nullable Shape subtype(
      TypeElement subtype, TypeElement sealed, List<Shape> arguments, Element site) {
    if (subtype.getModifiers().contains(Modifier.NON_SEALED)) {
      reporter.error(
          site, RpcDiagnostic.OPEN_SUBTYPE, subtype.getSimpleName(), sealed.getSimpleName());
      return null;
    }
    Map<String, Shape> bound = new HashMap<>();
    if (!binds(subtype, sealed, arguments, bound, site)) {
      return null;
    }
    List<Shape> subtypeArguments = new ArrayList<>();
    for (TypeParameterElement parameter : subtype.getTypeParameters()) {
      Shape argument = bound.get(parameter.getSimpleName().toString());
      if (argument == null) {
        reporter.error(
            site, RpcDiagnostic.SUBTYPE_ARGUMENTS, subtype.getSimpleName(), sealed.getSimpleName());
        return null;
      }
      subtypeArguments.add(argument);
    }
    return shapes.named(subtype, subtypeArguments, site);
  }

  /**
   * Binds the subtype's type parameters, given the arguments of the sealed type.
   *
   * @return false if the subtype does not belong to the sealed type with these arguments
   */
  private boolean binds(
      TypeElement subtype,
      TypeElement sealed,
      List<Shape> arguments,
      Map<String, Shape> bound,
      Element site) {
    for (TypeMirror parent : types.directSupertypes(subtype.asType())) {
      if (!(parent instanceof DeclaredType declared) || !declared.asElement().equals(sealed)) {
        continue;
      }
      for (int i = 0; i < declared.getTypeArguments().size(); i++) {
        TypeMirror argument = declared.getTypeArguments().get(i);
        if (argument.getKind() == TypeKind.TYPEVAR) {
          bound.put(
              ((TypeVariable) argument).asElement().getSimpleName().toString(), arguments.get(i));
          continue;
        }
        if (argument.toString().contains("<") && !subtype.getTypeParameters().isEmpty()) {
          return true; // such as Sealed<List<T>>: T stays unbound and is reported
        }
        Shape fixed = shapes.read(argument, false, Bindings.NONE, site);
        if (fixed == null || !fixed.name().equals(arguments.get(i).name())) {
          return false;
        }
      }
    }
    return true;
  }
}
