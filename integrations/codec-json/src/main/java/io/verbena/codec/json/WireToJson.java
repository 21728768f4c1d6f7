package io.verbena.codec.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Reads a peer's values as JSON, by the peer's contract. The memory that this takes is proportional
 * to the values' size on the wire, whatever the contract says. Safe for use by any thread.
 */
public final class WireToJson {
  /** The writer of JSON allows 1000 levels; each level here is at most two of them. */
  static final int MOST_NESTED = 400;

  /** Numbers with more digits than the numbers of JavaScript. */
  private static final Set<String> LONG_NUMBERS =
      Set.of("long", "java.math.BigInteger", "java.math.BigDecimal");

  private final Shapes shapes;
  private final boolean longsAsText;

  /** Makes a reader for the types of a contract. Numbers are numbers in JSON. */
  public WireToJson(Shapes shapes) {
    this(shapes, false);
  }

  /**
   * Makes a reader for the types of a contract.
   *
   * @param longsAsText whether {@code long}, {@code BigInteger} and {@code BigDecimal} are strings
   *     in JSON, because JavaScript rounds numbers of more than 53 bits
   */
  public WireToJson(Shapes shapes, boolean longsAsText) {
    this.shapes = shapes;
    this.longsAsText = longsAsText;
  }

  /** Returns whether a number of this type in a contract is text if {@code longsAsText} is set. */
  public static boolean isLongNumber(String type) {
    return LONG_NUMBERS.contains(type);
  }

  /** Reads a value as a tree. */
  public JsonNode read(WireIn in, JsonShape shape) {
    try (TokenBuffer tokens = Json.tokens()) {
      write(in, shape, tokens);
      return Json.tree(tokens);
    } catch (IOException e) {
      throw new AssertionError("memory has no I/O failure", e);
    }
  }

  /**
   * Reads a value, and writes it as JSON while it is read.
   *
   * @throws IOException if the writer's output throws it
   */
  public void write(WireIn in, JsonShape shape, JsonGenerator out) throws IOException {
    write(in, shape, out, MOST_NESTED);
  }

  private void write(WireIn in, JsonShape shape, JsonGenerator out, int deeper) throws IOException {
    if (deeper == 0) {
      throw new WireException("values nest more than " + MOST_NESTED + " deep");
    }
    switch (shape) {
      case JsonShape.Leaf leaf -> leaf(in, leaf, out);
      case JsonShape.Maybe maybe -> {
        if (in.readBoolean()) {
          write(in, maybe.value(), out, deeper - 1);
        } else {
          out.writeNull();
        }
      }
      case JsonShape.Elements elements -> elements(in, elements.element(), out, deeper);
      case JsonShape.Pairs pairs -> pairs(in, pairs, out, deeper);
      case JsonShape.Members type -> members(in, type.members(), out, deeper);
      case JsonShape.Constants type -> out.writeString(constant(in, type));
      case JsonShape.Choice type -> subtype(in, type, out, deeper);
      case JsonShape.Opaque _ -> opaque(in, out);
      case JsonShape.Items _ -> throw new WireException("a stream as part of a value");
    }
  }

  private void leaf(WireIn in, JsonShape.Leaf leaf, JsonGenerator out) throws IOException {
    JsonNode value = leaf.type().read().apply(in);
    if (longsAsText && isLongNumber(leaf.name())) {
      out.writeString(value.asText());
    } else {
      Json.write(value, out);
    }
  }

  private void elements(WireIn in, JsonShape element, JsonGenerator out, int deeper)
      throws IOException {
    int count = in.readCount(1);
    out.writeStartArray();
    for (int i = 0; i < count; i++) {
      write(in, element, out, deeper - 1);
    }
    out.writeEndArray();
  }

  private void pairs(WireIn in, JsonShape.Pairs pairs, JsonGenerator out, int deeper)
      throws IOException {
    int count = in.readCount(2);
    if (!pairs.isObject()) {
      out.writeStartArray();
      for (int i = 0; i < count; i++) {
        out.writeStartArray();
        write(in, pairs.key(), out, deeper - 1);
        write(in, pairs.value(), out, deeper - 1);
        out.writeEndArray();
      }
      out.writeEndArray();
      return;
    }
    out.writeStartObject();
    for (int i = 0; i < count; i++) {
      out.writeFieldName(key(in, pairs.key()));
      write(in, pairs.value(), out, deeper - 1);
    }
    out.writeEndObject();
  }

  private static String key(WireIn in, JsonShape key) {
    return switch (key) {
      case JsonShape.Leaf leaf -> leaf.type().read().apply(in).asText();
      case JsonShape.Constants type -> constant(in, type);
      default -> throw new IllegalArgumentException("not text: " + key);
    };
  }

  /** Values of an older version have fewer members; further members of a newer one are skipped. */
  private void members(WireIn in, List<Schema.Member> members, JsonGenerator out, int deeper)
      throws IOException {
    out.writeStartObject();
    int end = in.beginRecord();
    for (Schema.Member member : members) {
      if (in.atEnd(end)) {
        break;
      }
      out.writeFieldName(member.name());
      write(in, shapes.of(member.type()), out, deeper - 1);
    }
    in.endRecord(end);
    out.writeEndObject();
  }

  private static String constant(WireIn in, JsonShape.Constants type) {
    int place = in.readVarInt();
    if (place < 0 || place >= type.constants().size()) {
      throw WireException.unknown(type.name(), place);
    }
    return type.constants().get(place);
  }

  private void subtype(WireIn in, JsonShape.Choice type, JsonGenerator out, int deeper)
      throws IOException {
    int id = in.readVarInt();
    JsonShape.Subtype subtype = type.byId().get(id);
    if (subtype == null) {
      throw WireException.unknown(type.name(), id);
    }
    JsonShape shape = shapes.of(subtype.type());
    out.writeStartObject();
    out.writeFieldName(subtype.label());
    if (JsonToWire.hasLength(shape)) {
      write(in, shape, out, deeper - 1);
    } else {
      int end = in.beginRecord();
      write(in, shape, out, deeper - 1);
      in.endRecord(end);
    }
    out.writeEndObject();
  }

  private static void opaque(WireIn in, JsonGenerator out) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int end = in.beginRecord();
    while (!in.atEnd(end)) {
      bytes.write(in.readByte());
    }
    in.endRecord(end);
    out.writeBinary(bytes.toByteArray());
  }
}
