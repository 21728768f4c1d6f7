package io.verbena.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.verbena.api.stub.Schema;
import io.verbena.codec.json.JsonMethod;
import io.verbena.codec.json.Labels;
import io.verbena.codec.json.MethodNames;
import io.verbena.codec.json.Shape;
import io.verbena.codec.json.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Describes contracts in OpenAPI 3.1: each method by its path, each type by a JSON Schema. */
final class OpenApi {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The schema of failures that any call may have. No type of a contract has a dot in its name. */
  private static final String FAILURE = "Verbena.Failure";

  private final List<Schema> contracts;
  private final Labels labels;

  /** Schemas of types that others refer to by name. */
  private final Map<String, ObjectNode> components = new TreeMap<>();

  OpenApi(List<Schema> contracts) {
    this.contracts = contracts;
    List<String> names = new ArrayList<>();
    contracts.forEach(contract -> contract.types().forEach(type -> names.add(type.name())));
    this.labels = new Labels(names.stream().distinct().toList());
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
    headers
        .addObject()
        .put("name", "Verbena-Timeout")
        .put("in", "header")
        .put("description", "the time limit of the call: 250ms, 2s, 1m or 1h")
        .putObject("schema")
        .put("type", "string");
    ObjectNode body = operation.putObject("requestBody");
    body.put("required", !method.parameters().isEmpty());
    body.putObject("content")
        .putObject("application/json")
        .set("schema", members(shapes, method.parameters()));
    ObjectNode responses = operation.putObject("responses");
    result(responses, shapes, method);
    if (!method.errors().isEmpty()) {
      ArrayNode errors = JSON.arrayNode();
      for (String error : method.errors()) {
        ObjectNode one = objectWith("details", schema(shapes, error));
        errors.add(allOf(reference(FAILURE), one));
      }
      content(
              responses.putObject("422"),
              "an exception that the method declares",
              "application/json")
          .set("schema", JSON.objectNode().set("oneOf", errors));
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
    Shape result = shapes.of(method.result());
    ObjectNode ok = responses.putObject("200");
    if (result instanceof Shape.Items items) {
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

  private void failure() {
    ObjectNode failure = JSON.objectNode().put("type", "object");
    ObjectNode properties = failure.putObject("properties");
    for (String name : List.of("status", "message", "type", "execution")) {
      properties.putObject(name).put("type", "string");
    }
    failure.putArray("required").add("status").add("message");
    components.put(FAILURE, failure);
  }

  private static ObjectNode allOf(ObjectNode first, ObjectNode second) {
    return JSON.objectNode().set("allOf", JSON.arrayNode().add(first).add(second));
  }

  private static ObjectNode objectWith(String name, ObjectNode schema) {
    ObjectNode object = JSON.objectNode().put("type", "object");
    object.putObject("properties").set(name, schema);
    return object;
  }

  private static ObjectNode reference(String label) {
    return JSON.objectNode().put("$ref", "#/components/schemas/" + label);
  }

  private ObjectNode schema(Shapes shapes, String type) {
    return schema(shapes, shapes.of(type));
  }

  private ObjectNode schema(Shapes shapes, Shape shape) {
    return switch (shape) {
      case Shape.Leaf leaf -> leaf(leaf.name());
      case Shape.Maybe maybe -> maybe(schema(shapes, maybe.value()));
      case Shape.Elements elements -> array(schema(shapes, elements.element()));
      case Shape.Items items -> array(schema(shapes, items.element()));
      case Shape.Pairs pairs -> pairs(shapes, pairs);
      case Shape.Opaque _ -> bytes();
      case Shape.Members type -> named(type.name(), () -> members(shapes, type.members()));
      case Shape.Constants type -> named(type.name(), () -> constants(type));
      case Shape.Choice type -> named(type.name(), () -> choice(shapes, type));
    };
  }

  /** Returns a reference to a type. Its schema is made at the first reference. */
  private ObjectNode named(String type, Supplier<ObjectNode> maker) {
    String label = labels.of(type).replaceAll("[^A-Za-z0-9._-]+", "_");
    if (!components.containsKey(label)) {
      components.put(label, JSON.objectNode()); // first, because a type may contain itself
      components.put(label, maker.get());
    }
    return reference(label);
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
    return object.put("additionalProperties", false);
  }

  private static ObjectNode constants(Shape.Constants type) {
    ObjectNode constants = JSON.objectNode().put("type", "string");
    type.constants().forEach(constants.putArray("enum")::add);
    return constants;
  }

  private ObjectNode choice(Shapes shapes, Shape.Choice type) {
    ArrayNode subtypes = JSON.arrayNode();
    for (Shape.Subtype subtype : type.byName().values()) {
      ObjectNode one = objectWith(subtype.label(), schema(shapes, subtype.type()));
      one.putArray("required").add(subtype.label());
      subtypes.add(one.put("additionalProperties", false));
    }
    return JSON.objectNode().set("oneOf", subtypes);
  }

  private ObjectNode pairs(Shapes shapes, Shape.Pairs pairs) {
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

  private static ObjectNode leaf(String name) {
    ObjectNode leaf = JSON.objectNode();
    return switch (name) {
      case "boolean" -> leaf.put("type", "boolean");
      case "byte", "short", "int" -> leaf.put("type", "integer").put("format", "int32");
      case "long" -> leaf.put("type", "integer").put("format", "int64");
      case "java.math.BigInteger" -> leaf.put("type", "integer");
      case "float", "double" -> leaf.put("type", "number").put("format", name);
      case "java.math.BigDecimal" -> leaf.put("type", "number");
      case "char" -> leaf.put("type", "string").put("minLength", 1).put("maxLength", 1);
      case "byte[]", "java.nio.ByteBuffer", "java.lang.foreign.MemorySegment" -> bytes();
      case "java.util.UUID" -> leaf.put("type", "string").put("format", "uuid");
      case "java.time.Instant" -> leaf.put("type", "string").put("format", "date-time");
      case "java.time.LocalDate" -> leaf.put("type", "string").put("format", "date");
      case "java.time.Duration" -> leaf.put("type", "string").put("format", "duration");
      default -> leaf.put("type", "string").put("description", name);
    };
  }
}
