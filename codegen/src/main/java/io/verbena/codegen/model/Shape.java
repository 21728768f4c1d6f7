package io.verbena.codegen.model;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The form of a type on the wire. */
public sealed interface Shape {
  /** Returns the type's name in the schema. Types with the same form on the wire may share it. */
  String name();

  /** Returns the type in generated code. */
  TypeName java();

  /** Returns the least number of bytes that a value takes. */
  default int minBytes() {
    return 1;
  }

  /** Returns whether there is a default for a value that an older peer did not send. */
  default boolean hasDefault() {
    return true;
  }

  /**
   * A value that {@code WireOut} or {@code StandardTypes} writes by one call.
   *
   * @param method the call's name without {@code write} or {@code read}
   * @param standard whether the method belongs to StandardTypes
   * @param defaultValue an expression; null if there is none
   */
  record Leaf(
      String name,
      TypeName java,
      String method,
      boolean standard,
      int minBytes,
      @Nullable CodeBlock defaultValue)
      implements Shape {
    @Override
    public boolean hasDefault() {
      return defaultValue != null;
    }

    /** Returns the same shape for another Java type, such as the box of a primitive. */
    public Leaf as(TypeName other) {
      return new Leaf(name, other, method, standard, minBytes, defaultValue);
    }
  }

  /** A value that may be null: a boolean, then the value if it is present. */
  record OrNull(Shape value) implements Shape {
    @Override
    public String name() {
      return value.name() + "?";
    }

    @Override
    public TypeName java() {
      return value.java();
    }
  }

  /** An {@link Optional}: a boolean, then the value if it is present. */
  record Maybe(Shape value) implements Shape {
    @Override
    public String name() {
      return "java.util.Optional<" + value.name() + ">";
    }

    @Override
    public TypeName java() {
      return ParameterizedTypeName.get(ClassName.get(Optional.class), value.java());
    }
  }

  /** An array of any type but byte: a count, then the elements. */
  record Array(Shape element) implements Shape {
    @Override
    public String name() {
      return element.name() + "[]";
    }

    @Override
    public TypeName java() {
      return ArrayTypeName.of(element.java());
    }
  }

  /**
   * A list, set or collection: a count, then the elements.
   *
   * @param type {@code java.util.List}, {@code Set} or {@code Collection}
   */
  record Sequence(ClassName type, Shape element) implements Shape {
    @Override
    public String name() {
      return type.canonicalName() + "<" + element.name() + ">";
    }

    @Override
    public TypeName java() {
      return ParameterizedTypeName.get(type, element.java());
    }
  }

  /**
   * A stream: the place to request its items from. It is an argument or a result, never part of a
   * value.
   */
  record Stream(Shape element) implements Shape {
    @Override
    public String name() {
      return "java.util.concurrent.Flow.Publisher<" + element.name() + ">";
    }

    @Override
    public TypeName java() {
      return ParameterizedTypeName.get(ClassName.get(Flow.Publisher.class), element.java());
    }

    @Override
    public boolean hasDefault() {
      return false;
    }
  }

  /** A map: a count, then keys and values in turn. */
  record Mapping(Shape key, Shape value) implements Shape {
    @Override
    public String name() {
      return "java.util.Map<" + key.name() + "," + value.name() + ">";
    }

    @Override
    public TypeName java() {
      return ParameterizedTypeName.get(
          ClassName.get(java.util.Map.class), key.java(), value.java());
    }
  }

  /** A type with a {@link Definition} of the same name. */
  record Named(String name, TypeName java) implements Shape {
    @Override
    public boolean hasDefault() {
      return false;
    }
  }
}
