package io.verbena.codegen.model;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.TypeName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A type with a name in the schema, which may refer to itself. */
public sealed interface Definition {
  /** Returns the fully qualified name with type arguments. */
  String name();

  /** Returns the type in generated code. */
  TypeName java();

  /**
   * An enum.
   *
   * @param constants their names, in order
   * @param unknown the constant for constants of a newer peer; null for none
   */
  record Constants(String name, ClassName java, List<String> constants, @Nullable String unknown)
      implements Definition {}

  /**
   * A record, plain class or exception: members in order.
   *
   * @param label the simple name, for messages at run time
   * @param exact the exact class of values; null if values need no check: the class is final, or
   *     subclasses are allowed
   */
  record Members(
      String name,
      TypeName java,
      String label,
      @Nullable ClassName exact,
      Construction construction,
      List<Member> members)
      implements Definition {}

  /** The way to make a value from its members. */
  enum Construction {
    /** By a constructor with all members as parameters, in order. */
    CONSTRUCTOR,
    /** By the constructor without parameters, and a setter for each member. */
    SETTERS
  }

  /**
   * A member.
   *
   * @param getter the method that returns it
   * @param setter the method that sets it; empty if a constructor does
   */
  record Member(String name, Shape shape, String getter, String setter) {}

  /**
   * A sealed interface or class.
   *
   * @param unknown the subtype for subtypes of a newer peer; null for none
   */
  record Choice(
      String name,
      TypeName java,
      String label,
      List<Subtype> subtypes,
      Shape.@Nullable Named unknown)
      implements Definition {}

  /** A permitted subtype and its number on the wire. */
  record Subtype(int id, Shape.Named shape) {}

  /** A type that a user's serializer writes. */
  record Custom(String name, TypeName java, String label, ClassName serializer)
      implements Definition {}
}
