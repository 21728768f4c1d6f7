package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireOut;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON as values of a peer's contract. JSON that does not fit is a {@link
 * WrongJsonException} that says where. Safe for use by any thread.
 */
final class JsonToWire {
  private final Shapes shapes;

  JsonToWire(Shapes shapes) {
    this.shapes = shapes;
  }

  /** Writes a value. It nests no deeper than one that can be answered. */
  void write(WireOut out, JsonShape shape, JsonNode value) {
    write(out, shape, value, WireToJson.MOST_NESTED);
  }

  private void write(WireOut out, JsonShape shape, JsonNode value, int deeper) {
    if (deeper == 0) {
      throw WrongJsonException.of("nests more than " + WireToJson.MOST_NESTED + " deep");
    }
    switch (shape) {
      case JsonShape.Leaf leaf -> leaf.type().write(out, value);
      case JsonShape.Maybe maybe -> {
        out.writeBoolean(!value.isNull());
        if (!value.isNull()) {
          write(out, maybe.value(), value, deeper - 1);
        }
      }
      case JsonShape.Elements elements -> elements(out, elements.element(), value, deeper - 1);
      case JsonShape.Pairs pairs -> pairs(out, pairs, value, deeper - 1);
      case JsonShape.Members type -> {
        if (!value.isObject()) {
          throw WrongJsonException.expected(words(type), value);
        }
        int mark = out.beginRecord();
        members(out, type.members(), value, deeper - 1);
        out.endRecord(mark);
      }
      case JsonShape.Constants type -> constant(out, type, value);
      case JsonShape.Choice type -> subtype(out, type, value, deeper - 1);
      case JsonShape.Opaque type -> opaque(out, type, value);
      case JsonShape.Items _ ->
          throw WrongJsonException.of("items of a stream cannot be part of a value");
    }
  }

  private static String words(JsonShape.Members type) {
    return "an object (%s) with %s".formatted(Labels.ALONE.of(type.name()), names(type.members()));
  }

  private static String names(List<Schema.Member> members) {
    return members.isEmpty()
        ? "no member"
        : String.join(", ", members.stream().map(Schema.Member::name).toList());
  }

  /**
   * Writes members in their order.
   *
   * @param given an object with their names, or an array in their order
   */
  void members(WireOut out, List<Schema.Member> members, JsonNode given) {
    members(out, members, given, WireToJson.MOST_NESTED);
  }

  private void members(WireOut out, List<Schema.Member> members, JsonNode given, int deeper) {
    if (!(given instanceof ObjectNode) && !(given instanceof ArrayNode)) {
      throw WrongJsonException.expected(
          "an object with %s, or an array in this order".formatted(names(members)), given);
    }
    checkNames(members, given);
    for (int i = 0; i < members.size(); i++) {
      Schema.Member member = members.get(i);
      JsonNode value = given.isObject() ? given.get(member.name()) : given.get(i);
      try {
        member(out, member, value, deeper);
      } catch (WrongJsonException e) {
        throw e.within(member.name());
      }
    }
  }

  private static void checkNames(List<Schema.Member> members, JsonNode given) {
    if (given.isArray() && given.size() > members.size()) {
      throw WrongJsonException.of(
          "%d values were given for the parameters: %s".formatted(given.size(), names(members)));
    }
    Set<String> unknown = new LinkedHashSet<>();
    given.fieldNames().forEachRemaining(unknown::add);
    members.forEach(member -> unknown.remove(member.name()));
    if (!unknown.isEmpty()) {
      throw WrongJsonException.of(
              "the peer's contract has no such member; it has " + names(members))
          .within(unknown.iterator().next());
    }
  }

  private void member(WireOut out, Schema.Member member, @Nullable JsonNode value, int deeper) {
    JsonShape shape = shapes.of(member.type());
    JsonNode written = value == null && member.optional() ? none(shape) : value;
    if (written == null) {
      throw WrongJsonException.of("is missing; its type is " + Labels.ALONE.of(member.type()));
    }
    write(out, shape, written, deeper);
  }

  /**
   * Returns the default that readers use if an older writer has omitted the member; null if there
   * is none.
   */
  private static @Nullable JsonNode none(JsonShape shape) {
    return switch (shape) {
      case JsonShape.Leaf leaf -> leaf.type().none();
      case JsonShape.Maybe _ -> NullNode.instance;
      case JsonShape.Elements _, JsonShape.Pairs _ -> Json.EMPTY;
      default -> null;
    };
  }

  private void elements(WireOut out, JsonShape element, JsonNode value, int deeper) {
    if (!value.isArray()) {
      throw WrongJsonException.expected("an array", value);
    }
    out.writeCount(value.size());
    for (int i = 0; i < value.size(); i++) {
      try {
        write(out, element, value.get(i), deeper);
      } catch (WrongJsonException e) {
        throw e.within("[" + i + "]");
      }
    }
  }

  private void pairs(WireOut out, JsonShape.Pairs pairs, JsonNode value, int deeper) {
    if (pairs.isObject() && value.isObject()) {
      out.writeCount(value.size());
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        try {
          write(out, pairs.key(), TextNode.valueOf(entry.getKey()), deeper);
          write(out, pairs.value(), entry.getValue(), deeper);
        } catch (WrongJsonException e) {
          throw e.within("[" + TextNode.valueOf(entry.getKey()) + "]");
        }
      }
      return;
    }
    if (!value.isArray()) {
      throw WrongJsonException.expected(
          pairs.isObject() ? "an object" : "an array of pairs [key, value]", value);
    }
    out.writeCount(value.size());
    for (int i = 0; i < value.size(); i++) {
      try {
        pair(out, pairs, value.get(i), deeper);
      } catch (WrongJsonException e) {
        throw e.within("[" + i + "]");
      }
    }
  }

  private void pair(WireOut out, JsonShape.Pairs pairs, JsonNode pair, int deeper) {
    if (!pair.isArray() || pair.size() != 2) {
      throw WrongJsonException.expected("a pair [key, value]", pair);
    }
    write(out, pairs.key(), pair.get(0), deeper);
    write(out, pairs.value(), pair.get(1), deeper);
  }

  private static void constant(WireOut out, JsonShape.Constants type, JsonNode value) {
    Integer place = value.isTextual() ? type.places().get(value.textValue()) : null;
    if (place == null) {
      throw WrongJsonException.expected("one of " + String.join(", ", type.constants()), value);
    }
    out.writeVarInt(place);
  }

  private void subtype(WireOut out, JsonShape.Choice type, JsonNode value, int deeper) {
    String label = value.size() == 1 && value.isObject() ? value.fieldNames().next() : "";
    JsonShape.Subtype subtype = type.byName().get(label);
    if (subtype == null) {
      throw WrongJsonException.expected(
          "an object of one member, which is one of " + String.join(", ", type.byName().keySet()),
          value);
    }
    out.writeVarInt(subtype.id());
    JsonShape shape = shapes.of(subtype.type());
    try {
      if (hasLength(shape)) {
        write(out, shape, value.get(label), deeper);
      } else {
        int mark = out.beginRecord();
        write(out, shape, value.get(label), deeper);
        out.endRecord(mark);
      }
    } catch (WrongJsonException e) {
      throw e.within(label);
    }
  }

  /**
   * Returns whether a subtype has its own length on the wire. Others are written after a length.
   */
  static boolean hasLength(JsonShape subtype) {
    return subtype instanceof JsonShape.Members || subtype instanceof JsonShape.Opaque;
  }

  private static void opaque(WireOut out, JsonShape.Opaque type, JsonNode value) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(value.isTextual() ? value.textValue() : "-");
    } catch (IllegalArgumentException e) {
      throw WrongJsonException.expected(
          "the bytes that the serializer of %s writes, as base64"
              .formatted(Labels.ALONE.of(type.name())),
          value);
    }
    int mark = out.beginRecord();
    for (byte one : bytes) {
      out.writeByte(one);
    }
    out.endRecord(mark);
  }
}
