package io.verbena.codegen.model;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.TypeName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A type that has a name in the schema, and may be reached from itself. */
public sealed interface Definition {
  /** Returns the fully qualified name with type arguments. */
  String name();

  /** Returns the type in generated code. */
  TypeName java();

  /**
   * An enum.
   *
   * @param constants their names, in order
   * @param unknown the one that stands for those of a newer peer; null for none
   */
  record Constants(String name, ClassName java, List<String> constants, @Nullable String unknown)
      implements Definition {}

  /**
   * A record, plain class or exception: members in order.
   *
   * @param label the simple name, for messages at run time
   * @param exact the class of which a value must be exactly; null where it can have no subclass or
   *     may
   */
  record Members(
      String name,
      TypeName java,
      String label,
      @Nullable ClassName exact,
      Construction construction,
      List<Member> members)
      implements Definition {}

  /** How a value is made from its members. */
  enum Construction {
    /** By a constructor that takes all of them, in order. */
    CONSTRUCTOR,
    /** By the constructor without parameters, then a setter for each. */
    SETTERS
  }

  /**
   * One member.
   *
   * @param getter the method that returns it
   * @param setter the method that takes it; empty where a constructor does
   */
  record Member(String name, Shape shape, String getter, String setter) {}

  /**
   * A sealed interface or class.
   *
   * @param unknown the subtype that stands for those of a newer peer; null for none
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

  /** A type that a serializer of the user's writes. */
  record Custom(String name, TypeName java, String label, ClassName serializer)
      implements Definition {}
}
