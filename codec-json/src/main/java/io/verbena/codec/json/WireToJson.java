package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;

/**
 * Reads a peer's values as JSON, by the peer's contract. The memory that this takes is proportional
 * to the values' size on the wire, whatever the contract says. Safe for use by any thread.
 */
public final class WireToJson {
  /** The writer of JSON allows 1000 levels; each level here is at most two of them. */
  private static final int MOST_NESTED = 400;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Shapes shapes;

  /** Makes a reader for the types of a contract. */
  public WireToJson(Shapes shapes) {
    this.shapes = shapes;
  }

  /** Reads a value. */
  public JsonNode read(WireIn in, Shape shape) {
    return read(in, shape, MOST_NESTED);
  }

  private JsonNode read(WireIn in, Shape shape, int deeper) {
    if (deeper == 0) {
      throw new WireException("values nest more than " + MOST_NESTED + " deep");
    }
    return switch (shape) {
      case Shape.Leaf leaf -> leaf.type().read().apply(in);
      case Shape.Maybe maybe ->
          in.readBoolean() ? read(in, maybe.value(), deeper - 1) : NullNode.instance;
      case Shape.Elements elements -> elements(in, elements.element(), deeper);
      case Shape.Pairs pairs -> pairs(in, pairs, deeper);
      case Shape.Members type -> members(in, type.members(), deeper);
      case Shape.Constants type -> constant(in, type);
      case Shape.Choice type -> subtype(in, type, deeper);
      case Shape.Opaque _ -> opaque(in);
      case Shape.Items _ -> throw new WireException("a stream as part of a value");
    };
  }

  private JsonNode elements(WireIn in, Shape element, int deeper) {
    ArrayNode array = JSON.arrayNode();
    int count = in.readCount(1);
    for (int i = 0; i < count; i++) {
      array.add(read(in, element, deeper - 1));
    }
    return array;
  }

  private JsonNode pairs(WireIn in, Shape.Pairs pairs, int deeper) {
    ObjectNode object = JSON.objectNode();
    ArrayNode array = JSON.arrayNode();
    int count = in.readCount(2);
    for (int i = 0; i < count; i++) {
      JsonNode key = read(in, pairs.key(), deeper - 1);
      JsonNode value = read(in, pairs.value(), deeper - 1);
      if (pairs.isObject()) {
        object.set(key.asText(), value);
      } else {
        array.add(JSON.arrayNode().add(key).add(value));
      }
    }
    return pairs.isObject() ? object : array;
  }

  /** Values of an older version have fewer members; further members of a newer one are skipped. */
  private JsonNode members(WireIn in, List<Schema.Member> members, int deeper) {
    ObjectNode object = JSON.objectNode();
    int end = in.beginRecord();
    for (Schema.Member member : members) {
      if (in.atEnd(end)) {
        break;
      }
      object.set(member.name(), read(in, shapes.of(member.type()), deeper - 1));
    }
    in.endRecord(end);
    return object;
  }

  private static JsonNode constant(WireIn in, Shape.Constants type) {
    int place = in.readVarInt();
    if (place < 0 || place >= type.constants().size()) {
      throw WireException.unknown(type.name(), place);
    }
    return TextNode.valueOf(type.constants().get(place));
  }

  private JsonNode subtype(WireIn in, Shape.Choice type, int deeper) {
    int id = in.readVarInt();
    Shape.Subtype subtype = type.byId().get(id);
    if (subtype == null) {
      throw WireException.unknown(type.name(), id);
    }
    Shape shape = shapes.of(subtype.type());
    if (JsonToWire.hasLength(shape)) {
      return JSON.objectNode().set(subtype.label(), read(in, shape, deeper - 1));
    }
    int end = in.beginRecord();
    JsonNode value = read(in, shape, deeper - 1);
    in.endRecord(end);
    return JSON.objectNode().set(subtype.label(), value);
  }

  private static JsonNode opaque(WireIn in) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int end = in.beginRecord();
    while (!in.atEnd(end)) {
      bytes.write(in.readByte());
    }
    in.endRecord(end);
    return TextNode.valueOf(Base64.getEncoder().encodeToString(bytes.toByteArray()));
  }
}
