package io.verbena.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.verbena.api.stub.Schema;
import io.verbena.codec.json.JsonMethod;
import io.verbena.codec.json.JsonShape;
import io.verbena.codec.json.Labels;
import io.verbena.codec.json.MethodNames;
import io.verbena.codec.json.Shapes;
import io.verbena.codec.json.WireToJson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Describes contracts in OpenAPI 3.1: each method by its path, each type by a JSON Schema. Clients
 * that were generated from an older document accept the answers of a newer server, so values may
 * have further members.
 */
final class OpenApi {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The schema of failures that any call may have. No type of a contract has a dot in its name. */
  private static final String FAILURE = "Verbena.Failure";

  private static final Pattern NOT_IN_NAMES = Pattern.compile("[^A-Za-z0-9._-]+");
  private static final Pattern NOT_IN_CLASSES = Pattern.compile("[^A-Za-z0-9]");

  private final List<Schema> contracts;
  private final boolean longsAsText;
  private final Labels labels;

  /** The names of schemas, by those of their types. */
  private final Map<String, String> names = new HashMap<>();

  /** The names that generators of clients would make of them. */
  private final Set<String> classes = new HashSet<>();

  /** Schemas of types that others refer to by name. */
  private final Map<String, ObjectNode> components = new TreeMap<>();

  /**
   * Makes a document.
   *
   * @param longsAsText whether long numbers are strings in answers
   */
  OpenApi(List<Schema> contracts, boolean longsAsText) {
    this.contracts = contracts;
    this.longsAsText = longsAsText;
    List<String> types = new ArrayList<>();
    contracts.forEach(contract -> contract.types().forEach(type -> types.add(type.name())));
    this.labels = new Labels(types.stream().distinct().toList());
    classes.add(classOf(FAILURE));
  }

  ObjectNode document() {
    ObjectNode document = JSON.objectNode();
    document.put("openapi", "3.1.0");
    ObjectNode info = document.putObject("info");
    info.put("title", String.join(", ", contracts.stream().map(Schema::service).toList()));
    info.put("version", "1");
    ObjectNode paths = document.putObject("paths");
    ObjectNode schemas = JSON.objectNode();
    for (Schema contract : contracts) {
      Shapes shapes = new Shapes(contract);
      MethodNames names = new MethodNames(contract);
      for (Schema.Method method : contract.methods()) {
        if (JsonMethod.canCall(method)) {
          String name = names.of(method);
          String path = "/" + contract.service() + "/" + name.replace("#", "%23");
          paths.putObject(path).set("post", operation(contract, shapes, method, name));
        }
      }
    }
    failure();
    components.forEach(schemas::set);
    ObjectNode shared = document.putObject("components");
    shared.set("schemas", schemas);
    ObjectNode bearer = shared.putObject("securitySchemes").putObject("token");
    bearer.put("type", "http").put("scheme", "bearer");
    document.putArray("security").add(JSON.objectNode()).addObject().putArray("token");
    return document;
  }

  private ObjectNode operation(Schema contract, Shapes shapes, Schema.Method method, String name) {
    ObjectNode operation = JSON.objectNode();
    operation.put("operationId", contract.service() + "." + name);
    operation.putArray("tags").add(contract.service());
    ArrayNode headers = operation.putArray("parameters");
    header(headers, "Verbena-Timeout", "the time limit of the call: 250ms, 2s, 1m or 1h");
    header(
        headers,
        "Verbena-Longs",
        "whether long, BigInteger and BigDecimal are numbers or text in the answer; with this"
            + " header, this document describes that form");
    ObjectNode body = operation.putObject("requestBody");
    body.put("required", !method.parameters().isEmpty());
    body.putObject("content")
        .putObject("application/json")
        .set("schema", members(shapes, method.parameters()).put("additionalProperties", false));
    ObjectNode responses = operation.putObject("responses");
    result(responses, shapes, method);
    if (!method.errors().isEmpty()) {
      content(
              responses.putObject("422"),
              "an exception that the method declares",
              "application/json")
          .set("schema", declared(shapes, method.errors()));
    }
    content(responses.putObject("default"), "any other failure", "application/json")
        .set("schema", reference(FAILURE));
    return operation;
  }

  private void result(ObjectNode responses, Shapes shapes, Schema.Method method) {
    if (method.result().equals("void")) {
      String words =
          method.oneway() ? "the call was sent; its outcome is unknown" : "the call is done";
      responses.putObject("204").put("description", words);
      return;
    }
    JsonShape result = shapes.of(method.result());
    ObjectNode ok = responses.putObject("200");
    if (result instanceof JsonShape.Items items) {
      ObjectNode item = schema(shapes, items.element());
      content(ok, "a stream; Accept decides its form", "application/x-ndjson").set("schema", item);
      ((ObjectNode) ok.get("content"))
          .putObject("text/event-stream")
          .putObject("schema")
          .put("type", "string");
    } else {
      content(ok, "the result", "application/json").set("schema", schema(shapes, result));
    }
  }

  private static ObjectNode content(ObjectNode response, String words, String type) {
    response.put("description", words);
    return response.putObject("content").putObject(type);
  }

  private static void header(ArrayNode headers, String name, String words) {
    ObjectNode schema =
        headers
            .addObject()
            .put("name", name)
            .put("in", "header")
            .put("description", words)
            .putObject("schema")
            .put("type", "string");
    if (name.equals("Verbena-Longs")) {
      schema.putArray("enum").add("number").add("text");
    }
  }

  /** The member {@code type} says which exception it is. */
  private ObjectNode declared(Shapes shapes, List<String> errors) {
    ObjectNode any = JSON.objectNode();
    ArrayNode all = any.putArray("oneOf");
    ObjectNode discriminator = any.putObject("discriminator").put("propertyName", "type");
    ObjectNode mapping = discriminator.putObject("mapping");
    for (String error : errors) {
      ObjectNode one = named(FAILURE + " " + error, () -> declared(shapes, error));
      all.add(one);
      mapping.set(error, one.get("$ref"));
    }
    return any;
  }

  private ObjectNode declared(Shapes shapes, String error) {
    ObjectNode object = JSON.objectNode().put("type", "object");
    ObjectNode properties = object.putObject("properties");
    constant(properties.putObject("status"), "DECLARED");
    constant(properties.putObject("type"), error);
    properties.putObject("message").put("type", "string");
    properties.putObject("execution").put("type", "string");
    properties.set("details", schema(shapes, error));
    object.putArray("required").add("status").add("type").add("message").add("details");
    return object.put("additionalProperties", true);
  }

  /** Generators of clients know lists of one constant better than constants. */
  private static void constant(ObjectNode schema, String value) {
    schema.put("type", "string").putArray("enum").add(value);
  }

  private void failure() {
    ObjectNode failure = JSON.objectNode().put("type", "object");
    ObjectNode properties = failure.putObject("properties");
    for (String name : List.of("status", "message", "type", "execution")) {
      properties.putObject(name).put("type", "string");
    }
    failure.putArray("required").add("status").add("message");
    failure.put("additionalProperties", true);
    components.put(FAILURE, failure);
  }

  private static ObjectNode reference(String label) {
    return JSON.objectNode().put("$ref", "#/components/schemas/" + label);
  }

  private ObjectNode schema(Shapes shapes, String type) {
    return schema(shapes, shapes.of(type));
  }

  private ObjectNode schema(Shapes shapes, JsonShape shape) {
    return switch (shape) {
      case JsonShape.Leaf leaf -> leaf(leaf.name());
      case JsonShape.Maybe maybe -> maybe(schema(shapes, maybe.value()));
      case JsonShape.Elements elements -> array(schema(shapes, elements.element()));
      case JsonShape.Items items -> array(schema(shapes, items.element()));
      case JsonShape.Pairs pairs -> pairs(shapes, pairs);
      case JsonShape.Opaque _ -> bytes();
      case JsonShape.Members type -> named(type.name(), () -> members(shapes, type.members()));
      case JsonShape.Constants type -> named(type.name(), () -> constants(type));
      case JsonShape.Choice type -> named(type.name(), () -> choice(shapes, type));
    };
  }

  /** Returns a reference to a type. Its schema is made at the first reference. */
  private ObjectNode named(String type, Supplier<ObjectNode> maker) {
    String name = names.get(type);
    if (name == null) {
      name = nameOf(type);
      names.put(type, name);
      components.put(name, JSON.objectNode()); // first, because a type may contain itself
      components.put(name, maker.get());
    }
    return reference(name);
  }

  /** Returns a name that no other type has, also where a generator makes a class name of it. */
  private String nameOf(String type) {
    String label =
        type.startsWith(FAILURE)
            ? FAILURE + "." + labels.of(type.substring(FAILURE.length() + 1))
            : labels.of(type);
    String name = NOT_IN_NAMES.matcher(label).replaceAll("_");
    String free = name;
    for (int i = 2; !classes.add(classOf(free)); i++) {
      free = name + "_" + i;
    }
    return free;
  }

  private static String classOf(String name) {
    return NOT_IN_CLASSES.matcher(name).replaceAll("").toLowerCase(Locale.ROOT);
  }

  private ObjectNode members(Shapes shapes, List<Schema.Member> members) {
    ObjectNode object = JSON.objectNode().put("type", "object");
    ObjectNode properties = object.putObject("properties");
    ArrayNode required = JSON.arrayNode();
    for (Schema.Member member : members) {
      properties.set(member.name(), schema(shapes, member.type()));
      if (!member.optional()) {
        required.add(member.name());
      }
    }
    if (!required.isEmpty()) {
      object.set("required", required);
    }
    return object.put("additionalProperties", true);
  }

  private static ObjectNode constants(JsonShape.Constants type) {
    ObjectNode constants = JSON.objectNode().put("type", "string");
    type.constants().forEach(constants.putArray("enum")::add);
    return constants;
  }

  /** One object with a member for each subtype: generated clients lose the subtypes of a oneOf. */
  private ObjectNode choice(Shapes shapes, JsonShape.Choice type) {
    ObjectNode choice = JSON.objectNode().put("type", "object");
    ObjectNode properties = choice.putObject("properties");
    for (JsonShape.Subtype subtype : type.byName().values()) {
      properties.set(subtype.label(), schema(shapes, subtype.type()));
    }
    return choice.put("minProperties", 1).put("maxProperties", 1);
  }

  private ObjectNode pairs(Shapes shapes, JsonShape.Pairs pairs) {
    ObjectNode value = schema(shapes, pairs.value());
    if (pairs.isObject()) {
      return JSON.objectNode().put("type", "object").set("additionalProperties", value);
    }
    ObjectNode pair = JSON.objectNode().put("type", "array");
    pair.putArray("prefixItems").add(schema(shapes, pairs.key())).add(value);
    return array(pair.put("minItems", 2).put("maxItems", 2));
  }

  private static ObjectNode array(ObjectNode items) {
    return JSON.objectNode().put("type", "array").set("items", items);
  }

  private static ObjectNode maybe(ObjectNode schema) {
    return JSON.objectNode()
        .set("anyOf", JSON.arrayNode().add(schema).add(JSON.objectNode().put("type", "null")));
  }

  private static ObjectNode bytes() {
    return JSON.objectNode().put("type", "string").put("contentEncoding", "base64");
  }

  private ObjectNode leaf(String name) {
    if (longsAsText && WireToJson.isLongNumber(name)) {
      return JSON.objectNode()
          .put("type", "string")
          .put("format", name.equals("long") ? "int64" : "decimal")
          .put("description", "a number as text");
    }
    ObjectNode leaf = JSON.objectNode();
    return switch (name) {
      case "boolean" -> leaf.put("type", "boolean");
      case "byte", "short", "int" -> leaf.put("type", "integer").put("format", "int32");
      case "long" -> leaf.put("type", "integer").put("format", "int64");
      case "java.math.BigInteger" -> leaf.put("type", "integer");
      case "float", "double" -> floating(leaf.put("type", "number").put("format", name));
      case "java.math.BigDecimal" -> leaf.put("type", "number");
      case "char" -> leaf.put("type", "string").put("minLength", 1).put("maxLength", 1);
      case "byte[]", "java.nio.ByteBuffer", "java.lang.foreign.MemorySegment" -> bytes();
      case "java.util.UUID" -> leaf.put("type", "string").put("format", "uuid");
      case "java.time.Instant" -> leaf.put("type", "string").put("format", "date-time");
      case "java.time.LocalDate" -> leaf.put("type", "string").put("format", "date");
      default -> leaf.put("type", "string").put("description", name);
    };
  }

  /** JSON has no number for NaN and infinities. */
  private static ObjectNode floating(ObjectNode number) {
    ObjectNode text = JSON.objectNode().put("type", "string");
    text.putArray("enum").add("NaN").add("Infinity").add("-Infinity");
    return JSON.objectNode().set("oneOf", JSON.arrayNode().add(number).add(text));
  }
}
