package io.verbena.codegen.write;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.verbena.codegen.model.Shape;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;

/** Expressions for values. */
final class Values {
  private Values() {}

  /** Returns an expression of the value that throws if it is null and must not be. */
  static CodeBlock checked(Shape shape, CodeBlock value, String what) {
    return mayBeNull(shape)
        ? value
        : CodeBlock.of("$T.requireNonNull($L, $S)", Objects.class, value, what);
  }

  /**
   * Returns whether a null check is unnecessary: the type has no null, or the contract allows it.
   */
  static boolean mayBeNull(Shape shape) {
    return shape instanceof Shape.OrNull || shape.java().isPrimitive();
  }

  /** Returns the default for a value that an older peer did not send. */
  static CodeBlock defaultOf(Shape shape) {
    return switch (shape) {
      case Shape.Leaf leaf -> CodeBlock.of("$L", leaf.defaultValue());
      case Shape.OrNull orNull -> CodeBlock.of("null");
      case Shape.Maybe maybe -> CodeBlock.of("$T.empty()", Optional.class);
      case Shape.Array array -> emptyArray(array);
      case Shape.Sequence sequence -> emptySequence(sequence);
      case Shape.Mapping mapping -> CodeBlock.of("$T.emptyMap()", Collections.class);
      case Shape.Stream stream ->
          throw new IllegalArgumentException(stream.name() + " has no default");
      case Shape.Named named ->
          throw new IllegalArgumentException(named.name() + " has no default");
    };
  }

  static CodeBlock emptySequence(Shape.Sequence sequence) {
    return CodeBlock.of(
        sequence.type().simpleName().equals("Set") ? "$T.emptySet()" : "$T.emptyList()",
        Collections.class);
  }

  static CodeBlock emptyArray(Shape.Array array) {
    CodeBlock created = CodeBlock.of("new $T[0]$L", rawBase(array), "[]".repeat(dimensions(array)));
    return isGeneric(array) ? CodeBlock.of("($T) $L", array.java(), created) : created;
  }

  /** Returns whether an array's elements are of a generic type, which Java cannot create. */
  static boolean isGeneric(Shape.Array array) {
    return base(array) instanceof ParameterizedTypeName;
  }

  private static TypeName rawBase(Shape.Array array) {
    return base(array) instanceof ParameterizedTypeName generic ? generic.rawType() : base(array);
  }

  private static TypeName base(Shape.Array array) {
    TypeName type = array.java();
    while (type instanceof ArrayTypeName inner) {
      type = inner.componentType();
    }
    return type;
  }

  /** Returns the number of dimensions beyond the first. */
  private static int dimensions(Shape.Array array) {
    int dimensions = -1;
    for (TypeName type = array.java(); type instanceof ArrayTypeName inner; ) {
      type = inner.componentType();
      dimensions++;
    }
    return dimensions;
  }
}
