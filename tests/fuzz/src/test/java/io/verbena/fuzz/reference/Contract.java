package io.verbena.fuzz.reference;

import io.verbena.api.stub.Schema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A contract, as its schema says.
 *
 * @param types what it defines, by name
 * @param custom what its own serializers write, by the type's name
 * @param mostDepth the most records within each other
 */
public record Contract(
    Schema schema, Map<String, Schema.Type> types, Map<String, String> custom, int mostDepth) {

  /** Returns the contract of a schema. */
  public static Contract of(Schema schema, Map<String, String> custom, int mostDepth) {
    Map<String, Schema.Type> types = new HashMap<>();
    schema.types().forEach(type -> types.put(type.name(), type));
    return new Contract(schema, types, custom, mostDepth);
  }

  /** Returns the members of a record or an exception of the contract's. */
  public List<Schema.Member> members(String type) {
    return schema.types().stream()
        .filter(one -> one.name().equals(type))
        .findFirst()
        .orElseThrow()
        .members();
  }

  Shape shape(String name) {
    return Shape.of(name, types);
  }

  /** Returns what a type's own serializer writes. */
  Shape customShape(Schema.Type type) {
    String written = custom.get(type.name());
    if (written == null) {
      throw new IllegalArgumentException("what does the serializer of " + type.name() + " write?");
    }
    return shape(written);
  }
}
