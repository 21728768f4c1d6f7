package io.verbena.codegen.write;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.verbena.api.wire.StandardTypes;
import io.verbena.api.wire.WireIn;
import io.verbena.codegen.model.Definition;
import io.verbena.codegen.model.Operation;
import io.verbena.codegen.model.Service;
import io.verbena.codegen.model.Shape;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;

/**
 * The names in one generated class: the pair of methods for each shape, and the constant for each
 * method. They depend on the contract alone.
 */
final class GeneratedNames {
  private final SortedMap<String, Shape> composites = new TreeMap<>();
  private final Map<String, String> suffixes = new HashMap<>();
  private final Map<Integer, String> constants = new LinkedHashMap<>();
  private final Set<String> hidden = new TreeSet<>();
  private final String wire;

  GeneratedNames(Service service, Elements elements) {
    for (Operation operation : service.operations()) {
      operation.arguments().forEach(argument -> collect(argument.shape()));
      operation.errors().forEach(this::collect);
      if (operation.result() != null) {
        collect(operation.result());
      }
    }
    for (Definition definition : service.definitions().values()) {
      collect(new Shape.Named(definition.name(), definition.java()));
      switch (definition) {
        case Definition.Members type -> type.members().forEach(member -> collect(member.shape()));
        case Definition.Choice type -> type.subtypes().forEach(subtype -> collect(subtype.shape()));
        case Definition.Constants type -> {}
        case Definition.Custom type -> {}
      }
    }
    nameComposites();
    hide(service, elements);
    wire = free("Wire", hidden);
    nameConstants(service);
  }

  /**
   * Returns the names that mean something else in a part of the generated class: its client
   * inherits fields and types of the contract, and parameters and members become variables.
   */
  Set<String> hidden() {
    return hidden;
  }

  /**
   * Returns the nested class with a pair of methods for each shape that needs more than one call.
   */
  String wire() {
    return wire;
  }

  /** Returns every shape that has a pair of methods, in the order of their names. */
  Map<String, Shape> composites() {
    return composites;
  }

  /** Returns the part after {@code write} and {@code read} in the names of a shape's methods. */
  String suffix(Shape shape) {
    return Objects.requireNonNull(suffixes.get(key(shape)), shape::name);
  }

  /** Returns the constant that describes an operation. */
  String constant(Operation operation) {
    return Objects.requireNonNull(constants.get(operation.id()), operation::name);
  }

  /** Returns a statement's expression that writes a value. */
  CodeBlock write(Shape shape, CodeBlock out, CodeBlock value, boolean inWire) {
    if (shape instanceof Shape.Leaf leaf) {
      return leaf.standard()
          ? CodeBlock.of("$T.write$L($L, $L)", StandardTypes.class, leaf.method(), out, value)
          : CodeBlock.of("$L.write$L($L)", out, leaf.method(), value);
    }
    return CodeBlock.of("$Lwrite$L($L, $L)", inWire ? "" : wire + ".", suffix(shape), out, value);
  }

  /** Returns an expression that reads a value. */
  CodeBlock read(Shape shape, CodeBlock in, boolean inWire) {
    if (shape instanceof Shape.Leaf leaf) {
      return leaf.standard()
          ? CodeBlock.of("$T.read$L($L)", StandardTypes.class, leaf.method(), in)
          : CodeBlock.of("$L.read$L()", in, leaf.method());
    }
    return CodeBlock.of("$Lread$L($L)", inWire ? "" : wire + ".", suffix(shape), in);
  }

  /** Returns a reference to the method that reads a value. */
  CodeBlock reader(Shape shape) {
    if (shape instanceof Shape.Leaf leaf) {
      return CodeBlock.of(
          "$T::read$L", leaf.standard() ? StandardTypes.class : WireIn.class, leaf.method());
    }
    return CodeBlock.of("$L::read$L", wire, suffix(shape));
  }

  private void collect(Shape shape) {
    if (!(shape instanceof Shape.Leaf)) {
      composites.put(key(shape), shape);
    }
    switch (shape) {
      case Shape.Leaf _, Shape.Named _ -> {}
      case Shape.OrNull(Shape value) -> collect(value);
      case Shape.Maybe(Shape value) -> collect(value);
      case Shape.Array(Shape element) -> collect(element);
      case Shape.Sequence(_, Shape element) -> collect(element);
      case Shape.Stream(Shape element) -> collect(element);
      case Shape.Mapping(Shape key, Shape value) -> {
        collect(key);
        collect(value);
      }
    }
  }

  /** Distinguishes int from Integer, which share a name on the wire. */
  private static String key(Shape shape) {
    return shape.name() + " " + shape.java();
  }

  private void nameComposites() {
    Set<String> taken = new HashSet<>();
    composites.forEach(
        (key, shape) -> {
          String plain = describe(shape);
          String name = plain;
          for (int i = 2; !taken.add(name); i++) {
            name = plain + i;
          }
          suffixes.put(key, name);
        });
  }

  private static String describe(Shape shape) {
    return switch (shape) {
      case Shape.OrNull orNull -> "Nullable" + describe(orNull.value());
      case Shape.Maybe maybe -> "Optional" + describe(maybe.value());
      case Shape.Array array -> describe(array.element()) + "Array";
      case Shape.Sequence sequence ->
          sequence.type().simpleName() + "Of" + describe(sequence.element());
      case Shape.Stream stream -> "StreamOf" + describe(stream.element());
      case Shape.Mapping mapping ->
          "MapOf" + describe(mapping.key()) + "To" + describe(mapping.value());
      case Shape.Leaf leaf -> simple(leaf.java());
      case Shape.Named named -> simple(named.java());
    };
  }

  private static String simple(TypeName type) {
    return switch (type) {
      case ClassName name -> name.simpleName();
      case ParameterizedTypeName generic -> {
        StringBuilder name = new StringBuilder(simple(generic.rawType()));
        name.append("Of");
        generic.typeArguments().forEach(argument -> name.append(simple(argument)));
        yield name.toString();
      }
      case ArrayTypeName array -> simple(array.componentType()) + "Array";
      default -> {
        String name = type.toString();
        yield name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
      }
    };
  }

  private void hide(Service service, Elements elements) {
    List<? extends Element> inherited = elements.getAllMembers(service.element());
    ElementFilter.fieldsIn(inherited).forEach(field -> hide(field.getSimpleName()));
    ElementFilter.typesIn(inherited).forEach(type -> hide(type.getSimpleName()));
    for (Operation operation : service.operations()) {
      operation.arguments().forEach(argument -> hide(argument.name()));
    }
    for (Definition definition : service.definitions().values()) {
      if (definition instanceof Definition.Members type) {
        type.members().forEach(member -> hide(member.name()));
      }
    }
    // A nested type is qualified by its own name, not by that of the type it is nested in.
    for (Shape shape : composites.values()) {
      if (!(shape.java() instanceof ArrayTypeName) // an array may also be optional
          && hidden.contains(raw(shape.java()).topLevelClassName().simpleName())) {
        hide(raw(shape.java()).simpleName());
      }
    }
  }

  private void hide(CharSequence name) {
    hidden.add(name.toString());
  }

  /** A constant hides a type or package of its name from expressions, and a variable hides it. */
  private void nameConstants(Service service) {
    Set<String> taken = new HashSet<>(hidden);
    taken.add("SERVICE");
    taken.addAll(parts(service.type()));
    for (Definition definition : service.definitions().values()) {
      taken.addAll(parts(definition.java()));
      if (definition instanceof Definition.Custom custom) {
        taken.addAll(parts(custom.serializer()));
      }
    }
    List<Operation> operations = service.operations();
    for (Operation operation : operations) {
      boolean overloaded =
          operations.stream().filter(o -> o.name().equals(operation.name())).count() > 1;
      String name =
          operation.name().replaceAll("([a-z0-9])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT);
      String constant = overloaded ? name + "_" + operation.id() : name;
      String unique =
          taken.contains(constant) ? free(constant + "_METHOD_" + operation.id(), taken) : constant;
      taken.add(unique);
      constants.put(operation.id(), unique);
    }
  }

  /** Returns the names of a type's packages, outer types and itself. */
  private static List<String> parts(TypeName type) {
    return List.of(raw(type).canonicalName().split("\\."));
  }

  private static ClassName raw(TypeName type) {
    return type instanceof ParameterizedTypeName generic ? generic.rawType() : (ClassName) type;
  }

  private static String free(String name, Set<String> taken) {
    return taken.contains(name) ? free(name + "_", taken) : name;
  }
}
