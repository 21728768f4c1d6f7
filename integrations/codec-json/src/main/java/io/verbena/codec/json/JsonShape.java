package io.verbena.codec.json;

import io.verbena.api.stub.Schema;
import java.util.List;
import java.util.Map;

/** The form of a type on the wire and in JSON. */
public sealed interface JsonShape {
  /**
   * A value of the JDK.
   *
   * @param name the name of its type in a contract
   */
  record Leaf(String name, JdkType type) implements JsonShape {}

  /** An optional value: {@code null} in JSON if it is absent. */
  record Maybe(JsonShape value) implements JsonShape {}

  /** An array, list, set or collection. */
  record Elements(JsonShape element) implements JsonShape {}

  /** A map: an object in JSON, or an array of pairs if its keys are not text. */
  record Pairs(JsonShape key, JsonShape value) implements JsonShape {
    /** Returns whether it is an object in JSON. */
    public boolean isObject() {
      return key instanceof Leaf || key instanceof Constants;
    }
  }

  /** A stream. It is an argument or a result, never a part of one. */
  record Items(JsonShape element) implements JsonShape {}

  /** A record, class or exception: an object in JSON. */
  record Members(String name, List<Schema.Member> members) implements JsonShape {}

  /** An enum: the name of a constant in JSON. */
  record Constants(String name, List<String> constants, Map<String, Integer> places)
      implements JsonShape {}

  /**
   * A sealed type: in JSON an object with one member, which is named like the subtype.
   *
   * @param byId its subtypes by their ids on the wire
   * @param byName its subtypes by their names in JSON
   */
  record Choice(String name, Map<Integer, Subtype> byId, Map<String, Subtype> byName)
      implements JsonShape {}

  /**
   * A subtype of a sealed type.
   *
   * @param label its name in JSON
   * @param type the name of its type in the contract
   */
  record Subtype(int id, String label, String type) {}

  /** A value that a serializer of the contract's own writes: in JSON its bytes, as base64. */
  record Opaque(String name) implements JsonShape {}
}
