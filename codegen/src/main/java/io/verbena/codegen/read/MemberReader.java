package io.verbena.codegen.read;

import com.palantir.javapoet.ClassName;
import io.verbena.codegen.Reporter;
import io.verbena.codegen.RpcDiagnostic;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Definition.Construction;
import io.verbena.codegen.model.Definition.Member;
import io.verbena.codegen.model.Shape;
import io.verbena.codegen.read.ShapeReader.Bindings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** Reads types with members: records, plain classes and exceptions. */
final class MemberReader {
  private final ShapeReader shapes;
  private final Types types;
  private final Visibility access;
  private final Declarations declarations;
  private final Reporter reporter;

  MemberReader(ShapeReader shapes, Types types, Visibility access, Reporter reporter) {
    this.shapes = shapes;
    this.types = types;
    this.access = access;
    this.declarations = access.declarations();
    this.reporter = reporter;
  }

  /** Reads a record. Its members are the components, in order. */
  Definition ofRecord(TypeElement type, Shape.Named shape, Bindings bindings, Element site) {
    List<Member> members = new ArrayList<>();
    for (RecordComponentElement component : type.getRecordComponents()) {
      String name = component.getSimpleName().toString();
      Shape member = shapes.readDeclared(component, bindings, access.site(component, site));
      if (member != null) {
        members.add(new Member(name, member, name, ""));
      }
    }
    return new Definition.Members(
        shape.name(), shape.java(), label(type), null, Construction.CONSTRUCTOR, members);
  }

  /**
   * Reads a class. Its members are the fields in the order of their declaration, those of the
   * superclass first.
   */
  Definition ofClass(TypeElement type, Shape.Named shape, Bindings bindings, Element site) {
    if (!access.makes(type)) {
      reporter.error(access.site(type, site), RpcDiagnostic.NO_CONSTRUCTOR, type.getSimpleName());
    }
    List<Member> members = new ArrayList<>();
    addFields(type, type, bindings, site, members);
    boolean isFinal = type.getModifiers().contains(Modifier.FINAL);
    return new Definition.Members(
        shape.name(),
        shape.java(),
        label(type),
        isFinal ? null : ClassName.get(type),
        Construction.SETTERS,
        members);
  }

  private void addFields(
      TypeElement declaring, TypeElement type, Bindings bindings, Element site, List<Member> to) {
    TypeMirror superclass = declaring.getSuperclass();
    if (superclass.getKind() == TypeKind.DECLARED) {
      TypeElement parent = (TypeElement) ((DeclaredType) superclass).asElement();
      if (!parent.getQualifiedName().contentEquals("java.lang.Object")) {
        List<Shape> arguments = new ArrayList<>();
        for (TypeMirror argument : ((DeclaredType) superclass).getTypeArguments()) {
          Shape shape = shapes.read(argument, false, bindings, site);
          if (shape == null) {
            return;
          }
          arguments.add(shape);
        }
        addFields(parent, type, Bindings.of(parent, arguments), site, to);
      }
    }
    List<VariableElement> fields = access.fields(declaring, ElementKind.FIELD, site, reporter);
    for (VariableElement field : fields == null ? List.<VariableElement>of() : fields) {
      boolean isState =
          !field.getModifiers().contains(Modifier.STATIC)
              && !field.getModifiers().contains(Modifier.TRANSIENT);
      Member member = isState ? field(field, type, bindings, site) : null;
      if (member != null) {
        to.add(member);
      }
    }
  }

  private @Nullable Member field(
      VariableElement field, TypeElement type, Bindings bindings, Element site) {
    String name = field.getSimpleName().toString();
    Element here = access.site(field, site);
    TypeMirror fieldType = types.asMemberOf((DeclaredType) type.asType(), field);
    ExecutableElement getter = getter(name, fieldType, type);
    if (getter == null) {
      reporter.error(
          here,
          RpcDiagnostic.NO_ACCESSOR,
          name,
          missingGetter(name, fieldType, type) + order(field, "lombok\\..*"));
      return null;
    }
    String setter = setter(name, fieldType, type);
    if (setter == null) {
      reporter.error(
          here,
          RpcDiagnostic.NO_ACCESSOR,
          name,
          missingSetter(name, fieldType, type) + order(field, "lombok\\.(Data|Setter)"));
      return null;
    }
    boolean nullable =
        Visibility.isNullable(field)
            || Visibility.isNullable(getter)
            || Visibility.isNullable(getter.getReturnType());
    Shape shape = shapes.read(field.asType(), nullable, bindings, here);
    return shape == null
        ? null
        : new Member(name, shape, getter.getSimpleName().toString(), setter);
  }

  /** Returns advice on the order of processors, if another one should have made the accessor. */
  private static String order(Element field, String annotations) {
    for (Element e = field; e != null; e = e.getEnclosingElement()) {
      boolean ofLombok =
          e.getAnnotationMirrors().stream()
              .anyMatch(mirror -> mirror.getAnnotationType().toString().matches(annotations));
      if (ofLombok) {
        return " (put lombok before codegen on the processor path)";
      }
    }
    return "";
  }

  /** Returns the getter whose result is the member's own type; other methods may have its names. */
  private @Nullable ExecutableElement getter(String name, TypeMirror of, TypeElement type) {
    return Stream.of(getters(name, of), beanNames("get", name, of, type))
        .flatMap(names -> access.accessors(type, names, 0).stream())
        .filter(method -> types.isSameType(in(type, method).getReturnType(), of))
        .findFirst()
        .orElse(null);
  }

  private String missingGetter(String name, TypeMirror of, TypeElement type) {
    List<String> names = getters(name, of);
    List<ExecutableElement> others = access.accessors(type, names, 0);
    return others.isEmpty()
        ? "getter " + names.getFirst() + "()"
        : "getter %s() that returns %s: %s() returns %s"
            .formatted(
                String.join("() or ", names),
                simple(of),
                others.getFirst().getSimpleName(),
                simple(in(type, others.getFirst()).getReturnType()));
  }

  /** Returns the types of a method in a class, which may give type arguments to its superclass. */
  private ExecutableType in(TypeElement type, ExecutableElement method) {
    return (ExecutableType) types.asMemberOf((DeclaredType) type.asType(), method);
  }

  private @Nullable String setter(String name, TypeMirror fieldType, TypeElement type) {
    List<String> names = List.of("set" + capitalized(name), name);
    return Stream.of(names, beanNames("set", name, fieldType, type))
        .flatMap(some -> access.accessors(type, some, 1).stream())
        .filter(
            method -> types.isSameType(in(type, method).getParameterTypes().getFirst(), fieldType))
        .map(method -> method.getSimpleName().toString())
        .findFirst()
        .orElse(null);
  }

  private String missingSetter(String name, TypeMirror of, TypeElement type) {
    String setter = "set" + capitalized(name);
    List<ExecutableElement> others = access.accessors(type, List.of(setter, name), 1);
    String wanted = "setter " + setter;
    return others.isEmpty()
        ? wanted + "(...)"
        : "%s(%s) or %s(%s): %s takes %s"
            .formatted(
                wanted,
                simple(of),
                name,
                simple(of),
                others.getFirst().getSimpleName(),
                simple(in(type, others.getFirst()).getParameterTypes().getFirst()));
  }

  /**
   * Reads an exception. Its members are the parameters of the longest constructor for which
   * accessors exist.
   */
  @Nullable Definition ofException(TypeElement type, Shape.Named shape, Element site) {
    ExecutableElement constructor =
        type.getModifiers().contains(Modifier.ABSTRACT)
            ? null
            : declarations.constructors(type).stream()
                .filter(access::sees)
                .filter(c -> c.getParameters().stream().allMatch(p -> accessor(p, c, type) != null))
                .max(Comparator.comparingInt(c -> c.getParameters().size()))
                .orElse(null);
    if (constructor == null) {
      reporter.error(
          access.site(type, site),
          RpcDiagnostic.EXCEPTION_CONSTRUCTOR,
          type.getSimpleName(),
          cureOfException(type));
      return null;
    }
    List<Member> members = new ArrayList<>();
    for (VariableElement parameter : constructor.getParameters()) {
      String accessor = accessor(parameter, constructor, type);
      boolean isMessage = "getMessage".equals(accessor);
      boolean nullable = isMessage || Visibility.isNullable(parameter);
      Shape member =
          shapes.read(parameter.asType(), nullable, Bindings.NONE, access.site(parameter, site));
      if (member != null && accessor != null) {
        String name = isMessage ? "message" : declarations.name(parameter);
        members.add(new Member(name, member, accessor, ""));
      }
    }
    return new Definition.Members(
        shape.name(), shape.java(), label(type), null, Construction.CONSTRUCTOR, members);
  }

  /** Returns the advice: missing accessors, if a shorter constructor would lose members. */
  private String cureOfException(TypeElement type) {
    List<VariableElement> kept = fieldsWithGetters(type);
    String accessors =
        declarations.constructors(type).stream()
            .filter(access::sees)
            .max(Comparator.comparingInt(c -> c.getParameters().size()))
            .filter(longest -> longest.getParameters().size() > kept.size() + 1)
            .map(longest -> missingAccessors(longest, type))
            .orElse("");
    return (accessors.isEmpty() ? "" : accessors + ", or ")
        + "the constructor: "
        + missingConstructor(type, kept);
  }

  private List<VariableElement> fieldsWithGetters(TypeElement type) {
    return ElementFilter.fieldsIn(type.getEnclosedElements()).stream()
        .filter(field -> !field.getModifiers().contains(Modifier.STATIC))
        .filter(field -> getter(field.getSimpleName().toString(), field.asType(), type) != null)
        .toList();
  }

  /**
   * Returns the missing accessors. In classes compiled without -parameters the names are unknown.
   */
  private String missingAccessors(ExecutableElement constructor, TypeElement type) {
    List<String> missing = new ArrayList<>();
    for (VariableElement parameter : constructor.getParameters()) {
      String name = declarations.name(parameter);
      if (accessor(parameter, constructor, type) == null
          && !name.matches("arg\\d+")
          && !shapes.isLostCause(parameter.asType())) {
        missing.add(
            getters(name, parameter.asType()).stream()
                .map(getter -> simple(parameter.asType()) + " " + getter + "()")
                .collect(Collectors.joining(" or ")));
      }
    }
    String what = missing.size() == 1 ? "the accessor " : "the accessors ";
    return missing.isEmpty() ? "" : what + String.join(", ", missing);
  }

  /** Returns the constructor for the values of the exception's accessors. */
  private static String missingConstructor(TypeElement type, List<VariableElement> known) {
    StringBuilder parameters = new StringBuilder("String message");
    StringBuilder body = new StringBuilder("super(message);");
    for (VariableElement field : known) {
      String fieldType = simple(field.asType());
      parameters.append(", ").append(fieldType).append(' ').append(field.getSimpleName());
      body.append(" this.%1$s = %1$s;".formatted(field.getSimpleName()));
    }
    return "public %s(%s) { %s }".formatted(type.getSimpleName(), parameters, body);
  }

  /**
   * Returns the accessor of a constructor's parameter. A single string, with any name, is the
   * message: the JDK's own exceptions have no parameter names. A cause is not sent.
   */
  private @Nullable String accessor(
      VariableElement parameter, ExecutableElement constructor, TypeElement type) {
    String name = declarations.name(parameter);
    ExecutableElement getter = getter(name, parameter.asType(), type);
    if (getter != null) {
      return shapes.isLostCause(parameter.asType()) ? null : getter.getSimpleName().toString();
    }
    boolean isLoneString =
        constructor.getParameters().size() == 1
            && parameter.asType().toString().endsWith("java.lang.String");
    return isLoneString ? "getMessage" : null;
  }

  private static List<String> getters(String name, TypeMirror type) {
    return type.getKind() == TypeKind.BOOLEAN
        ? List.of("is" + capitalized(name), "get" + capitalized(name), name)
        : List.of("get" + capitalized(name), name);
  }

  /**
   * Returns the names that IDEs give to accessors by the rules of java.beans, where those differ:
   * getxAxis() of a field xAxis, and setOdd() of a boolean field isOdd if no field odd has it.
   */
  private static List<String> beanNames(
      String prefix, String name, TypeMirror of, TypeElement type) {
    if (name.matches("\\p{javaLowerCase}\\p{javaUpperCase}.*")) {
      return of.getKind() == TypeKind.BOOLEAN && prefix.equals("get")
          ? List.of("is" + name, "get" + name)
          : List.of(prefix + name);
    }
    boolean isBoolean =
        of.getKind() == TypeKind.BOOLEAN || of.toString().endsWith("java.lang.Boolean");
    if (!isBoolean || !name.matches("is\\p{javaUpperCase}.*")) {
      return List.of();
    }
    String property = name.substring(2);
    boolean isTaken =
        Visibility.hierarchy(type).stream()
            .flatMap(declaring -> ElementFilter.fieldsIn(declaring.getEnclosedElements()).stream())
            .anyMatch(field -> capitalized(field.getSimpleName().toString()).equals(property));
    return isTaken ? List.of() : List.of(prefix + property);
  }

  /** Returns a type without its packages. */
  private static String simple(TypeMirror type) {
    return type.toString().replaceAll("\\b(\\w+\\.)+", "");
  }

  private static String capitalized(String name) {
    return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }

  private static String label(TypeElement type) {
    return type.getSimpleName().toString();
  }
}
