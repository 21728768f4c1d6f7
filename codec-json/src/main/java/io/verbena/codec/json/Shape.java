package io.verbena.codec.json;

import io.verbena.api.stub.Schema;
import java.util.List;
import java.util.Map;

/** How a value of some type stands on the wire, and in JSON. */
public sealed interface Shape {
  /**
   * A value of the JDK's.
   *
   * @param name its type's name in a contract
   */
  record Leaf(String name, JdkType type) implements Shape {}

  /** A value or none: {@code null} in JSON. */
  record Maybe(Shape value) implements Shape {}

  /** An array, list, set or collection. */
  record Elements(Shape element) implements Shape {}

  /** A map: an object in JSON, or where its keys are no text, an array of pairs. */
  record Pairs(Shape key, Shape value) implements Shape {
    /** Returns whether it is an object in JSON. */
    public boolean isObject() {
      return key instanceof Leaf || key instanceof Constants;
    }
  }

  /** A stream, which is an argument or a result, and no part of either. */
  record Items(Shape element) implements Shape {}

  /** A record, class or exception: an object in JSON. */
  record Members(String name, List<Schema.Member> members) implements Shape {}

  /** An enum: a constant's name in JSON. */
  record Constants(String name, List<String> constants, Map<String, Integer> places)
      implements Shape {}

  /**
   * A sealed type: in JSON an object of one member, whose name is the subtype's.
   *
   * @param byId its subtypes by their ids on the wire
   * @param byName the same by their names in JSON
   */
  record Choice(String name, Map<Integer, Subtype> byId, Map<String, Subtype> byName)
      implements Shape {}

  /**
   * A subtype of a sealed type.
   *
   * @param label its name in JSON
   * @param type its type's name in the contract
   */
  record Subtype(int id, String label, String type) {}

  /** What a serializer of the contract's own writes: its bytes in JSON, as base64. */
  record Opaque(String name) implements Shape {}
}
