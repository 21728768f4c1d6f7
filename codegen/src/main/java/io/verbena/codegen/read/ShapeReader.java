package io.verbena.codegen.read;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.NestingKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/**
 * Reads types into shapes, and every named type that they use into a definition. A generic type is
 * read separately for each list of type arguments.
 */
final class ShapeReader {
  /** The limit of instantiations of one type. More than that means that it grows without end. */
  private static final int MAX_INSTANTIATIONS = 64;

  private final Types types;
  private final Visibility access;
  private final Advice advice;
  private final Reporter reporter;
  private final MemberReader members;
  private final ChoiceReader choices;
  private final Map<String, Definition.Custom> serializers = new HashMap<>();
  private final SortedMap<String, Definition> definitions = new TreeMap<>();
  private final Map<String, Element> sites = new HashMap<>();
  private final Set<String> known = new HashSet<>();
  private final Map<TypeElement, Integer> instantiations = new HashMap<>();

  ShapeReader(Types types, Visibility access, Reporter reporter) {
    this.types = types;
    this.access = access;
    this.advice = new Advice(types, access.elements());
    this.reporter = reporter;
    this.members = new MemberReader(this, types, access, reporter);
    this.choices = new ChoiceReader(this, types, access, reporter);
  }

  /**
   * The shapes of a generic type's parameters, by their names: to Eclipse's compiler an annotated
   * parameter is another element than the declared one.
   */
  record Bindings(Map<String, Shape> shapes) {
    static final Bindings NONE = new Bindings(Map.of());

    static Bindings of(TypeElement type, List<Shape> arguments) {
      Map<String, Shape> shapes = new HashMap<>();
      for (int i = 0; i < arguments.size(); i++) {
        shapes.put(type.getTypeParameters().get(i).getSimpleName().toString(), arguments.get(i));
      }
      return new Bindings(shapes);
    }
  }

  /** Returns every named type that was read. */
  SortedMap<String, Definition> definitions() {
    return definitions;
  }

  /** Reports types of which no value can exist, once all have been read. */
  void checkInstances() {
    new EmptyTypes(definitions)
        .problems()
        .forEach(
            (name, why) ->
                reporter.error(
                    Objects.requireNonNull(sites.get(name)), RpcDiagnostic.NO_INSTANCE, name, why));
  }

  /** Registers a user's serializer. Returns an earlier one for the same type. */
  Definition.@Nullable Custom register(Definition.Custom serializer) {
    return serializers.putIfAbsent(serializer.name(), serializer);
  }

  /**
   * Reads a type.
   *
   * @param nullable whether its declaration is annotated as nullable; this method checks its use
   * @param site the place to report errors at
   * @return null if an error was reported
   */
  @Nullable Shape read(TypeMirror type, boolean nullable, Bindings bindings, Element site) {
    Shape shape = readNonNull(type, bindings, site);
    if (shape == null || (!nullable && !Visibility.isNullable(type))) {
      return shape;
    }
    if (type.getKind().isPrimitive()) {
      reporter.error(
          site,
          RpcDiagnostic.NULLABLE_PRIMITIVE,
          type.getKind().name().toLowerCase(Locale.ROOT),
          shape.java().box(),
          shape.java());
      return null;
    }
    return shape instanceof Shape.OrNull ? shape : new Shape.OrNull(shape);
  }

  /** Reads the type of a declaration. */
  @Nullable Shape readDeclared(Element declaration, Bindings bindings, Element site) {
    return read(declaration.asType(), Visibility.isNullable(declaration), bindings, site);
  }

  /** Reads the type of a parameter or result, which may be a stream. */
  @Nullable Shape readWhole(TypeMirror type, boolean nullable, Element site) {
    if (type instanceof DeclaredType declared
        && declared.getTypeArguments().size() == 1
        && Visibility.is(type, Flow.Publisher.class)) {
      Shape element = read(declared.getTypeArguments().getFirst(), false, Bindings.NONE, site);
      return element == null ? null : new Shape.Stream(element);
    }
    return read(type, nullable, Bindings.NONE, site);
  }

  private @Nullable Shape readNonNull(TypeMirror type, Bindings bindings, Element site) {
    if (type.getKind().isPrimitive()) {
      return JdkTypes.primitive(type.getKind());
    }
    return switch (type.getKind()) {
      case ARRAY -> array((ArrayType) type, bindings, site);
      case TYPEVAR ->
          bindings.shapes().get(((TypeVariable) type).asElement().getSimpleName().toString());
      case DECLARED -> declared((DeclaredType) type, bindings, site);
      case ERROR -> throw new UnresolvedTypeException(type.toString());
      case WILDCARD -> {
        reporter.error(site, RpcDiagnostic.WILDCARD, type, cureOfWildcard(site));
        yield null;
      }
      default -> {
        reporter.error(site, RpcDiagnostic.UNSUPPORTED_TYPE, type, Advice.OF_OTHERS);
        yield null;
      }
    };
  }

  /** Kotlin's compiler makes wildcards of types that may have subtypes. */
  private static String cureOfWildcard(Element site) {
    for (Element e = site; e != null; e = e.getEnclosingElement()) {
      boolean ofKotlin =
          e.getAnnotationMirrors().stream()
              .anyMatch(mirror -> mirror.getAnnotationType().toString().equals("kotlin.Metadata"));
      if (ofKotlin) {
        return "Kotlin made it of a type that may have subtypes: annotate the contract with"
            + " @JvmSuppressWildcards";
      }
    }
    return "Name the type";
  }

  private @Nullable Shape array(ArrayType type, Bindings bindings, Element site) {
    TypeMirror component = type.getComponentType();
    Shape element = read(component, false, bindings, site);
    if (element == null) {
      return null;
    }
    return component.getKind() == TypeKind.BYTE ? JdkTypes.BYTES : new Shape.Array(element);
  }

  private @Nullable Shape declared(DeclaredType type, Bindings bindings, Element site) {
    TypeElement element = (TypeElement) type.asElement();
    if (type.getTypeArguments().size() != element.getTypeParameters().size()) {
      reporter.error(site, RpcDiagnostic.RAW_TYPE, element.getSimpleName());
      return null;
    }
    List<Shape> arguments = new ArrayList<>();
    for (TypeMirror argument : type.getTypeArguments()) {
      Shape shape = read(argument, false, bindings, site);
      if (shape != null) {
        arguments.add(shape);
      }
    }
    return arguments.size() < type.getTypeArguments().size()
        ? null
        : named(element, arguments, site);
  }

  /** Reads a class or interface with type arguments that have been read. */
  @Nullable Shape named(TypeElement element, List<Shape> arguments, Element site) {
    String name = name(element, arguments);
    Definition.Custom custom = serializers.get(name);
    if (custom != null) {
      definitions.put(name, custom);
      return new Shape.Named(name, custom.java());
    }
    Shape.Leaf leaf = JdkTypes.named(name);
    if (leaf != null) {
      return leaf;
    }
    return switch (name(element, List.of())) {
      case "io.verbena.api.bulk.Landing", "io.verbena.api.bulk.Received" -> {
        reporter.error(site, RpcDiagnostic.BULK_IN_VALUE, element.getSimpleName());
        yield null;
      }
      case "java.util.concurrent.Flow.Publisher" -> {
        reporter.error(site, RpcDiagnostic.STREAM_IN_VALUE, name);
        yield null;
      }
      case "java.util.List", "java.util.Set", "java.util.Collection" ->
          new Shape.Sequence(ClassName.get(element), arguments.getFirst());
      case "java.util.Map" -> new Shape.Mapping(arguments.get(0), arguments.get(1));
      case "java.util.Optional" -> new Shape.Maybe(arguments.getFirst());
      default -> defined(element, arguments, name, site);
    };
  }

  private Shape.@Nullable Named defined(
      TypeElement element, List<Shape> arguments, String name, Element site) {
    if (!access.sees(element)) {
      reporter.error(site, RpcDiagnostic.NOT_ACCESSIBLE, element.getSimpleName(), access.home());
      return null;
    }
    Shape.Named shape = new Shape.Named(name, java(element, arguments));
    if (!known.add(name)) {
      return shape;
    }
    if (instantiations.merge(element, 1, Integer::sum) > MAX_INSTANTIATIONS) {
      reporter.error(site, RpcDiagnostic.ENDLESS_TYPE, element.getSimpleName());
      return null;
    }
    Definition definition = define(element, arguments, shape, site);
    if (definition != null) {
      definitions.put(name, definition);
      sites.put(name, access.site(element, site));
    }
    return shape;
  }

  private @Nullable Definition define(
      TypeElement element, List<Shape> arguments, Shape.Named shape, Element site) {
    Bindings bindings = Bindings.of(element, arguments);
    Set<Modifier> modifiers = element.getModifiers();
    if (element.getKind() == ElementKind.ENUM) {
      return choices.constants(element, shape, site);
    }
    if (element.getKind() == ElementKind.RECORD) {
      return members.ofRecord(element, shape, bindings, site);
    }
    if (isCollection(element)) {
      reporter.error(site, RpcDiagnostic.COLLECTION_CLASS, element.getSimpleName());
    } else if (isFuture(element)) {
      reporter.error(site, RpcDiagnostic.FUTURE, element.getSimpleName());
    } else if (modifiers.contains(Modifier.SEALED) && modifiers.contains(Modifier.ABSTRACT)) {
      return choices.read(element, arguments, shape, site);
    } else if (element.getKind() != ElementKind.CLASS || isUnknowable(element)) {
      if (element.getKind() == ElementKind.CLASS) {
        reporter.error(
            site, RpcDiagnostic.UNSUPPORTED_TYPE, element.getSimpleName(), advice.ofClass(element));
      } else {
        reporter.error(
            site, RpcDiagnostic.OPEN_TYPE, element.getSimpleName(), advice.ofOpen(element));
      }
    } else if (modifiers.contains(Modifier.ABSTRACT)) {
      reporter.error(
          site, RpcDiagnostic.OPEN_TYPE, element.getSimpleName(), advice.ofOpen(element));
    } else if (element.getNestingKind() == NestingKind.MEMBER
        && !modifiers.contains(Modifier.STATIC)) {
      reporter.error(
          access.site(element, site), RpcDiagnostic.INNER_CLASS, element.getSimpleName());
    } else {
      return members.ofClass(element, shape, bindings, site);
    }
    return null;
  }

  /** Reads an exception that a method declares. */
  Shape.@Nullable Named readException(DeclaredType type, Element site) {
    TypeElement element = (TypeElement) type.asElement();
    String name = name(element, List.of());
    Shape.Named shape = new Shape.Named(name, ClassName.get(element));
    if (serializers.containsKey(name)) {
      return (Shape.Named) named(element, List.of(), site);
    }
    if (!access.sees(element)) {
      reporter.error(site, RpcDiagnostic.NOT_ACCESSIBLE, element.getSimpleName(), access.home());
      return null;
    }
    if (known.add(name)) {
      Definition definition = members.ofException(element, shape, site);
      if (definition != null) {
        definitions.put(name, definition);
        sites.put(name, access.site(element, site));
      }
    }
    return shape;
  }

  /** Returns whether a type is a throwable that no serializer writes. */
  boolean isLostCause(TypeMirror type) {
    return type instanceof DeclaredType declared
        && declared.asElement() instanceof TypeElement element
        && isSubtype(element, "java.lang.Throwable")
        && !serializers.containsKey(name(element, List.of()));
  }

  private boolean isCollection(TypeElement element) {
    return isSubtype(element, "java.util.Collection") || isSubtype(element, "java.util.Map");
  }

  private boolean isFuture(TypeElement element) {
    return isSubtype(element, "java.util.concurrent.CompletionStage")
        || isSubtype(element, "java.util.concurrent.Future");
  }

  /** Classes of the JDK hide their fields. Its exceptions hide even more. */
  private boolean isUnknowable(TypeElement element) {
    return element.getQualifiedName().toString().startsWith("java.")
        || isSubtype(element, "java.lang.Throwable");
  }

  private boolean isSubtype(TypeElement element, String of) {
    TypeElement type = access.elements().getTypeElement(of);
    return types.isSubtype(types.erasure(element.asType()), types.erasure(type.asType()));
  }

  /** Returns a type's name in the schema. */
  static String name(TypeElement element, List<Shape> arguments) {
    String name = element.getQualifiedName().toString();
    return arguments.isEmpty()
        ? name
        : arguments.stream().map(Shape::name).collect(Collectors.joining(",", name + "<", ">"));
  }

  /** Returns a type in generated code. */
  static TypeName java(TypeElement element, List<Shape> arguments) {
    ClassName raw = ClassName.get(element);
    return arguments.isEmpty()
        ? raw
        : ParameterizedTypeName.get(
            raw, arguments.stream().map(Shape::java).toArray(TypeName[]::new));
  }
}
