package io.verbena.codec.json;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.verbena.api.RpcException;

/** Describes failures of calls as JSON for programs. */
public final class Failure {
  private Failure() {}

  /**
   * Returns a failure that the method does not declare.
   *
   * @param message the text for the reader
   */
  public static ObjectNode of(RpcException e, String message) {
    ObjectNode json = of(e.status().name(), message);
    if (e.remoteType() != null) {
      json.put("type", e.remoteType());
    }
    json.put("execution", e.execution().name());
    if (!e.metadata().isEmpty()) {
      json.put("metadata", e.metadata().toString());
    }
    return json;
  }

  /** Returns a declared exception, with its members as details. */
  public static ObjectNode of(DeclaredException e) {
    ObjectNode json = of("DECLARED", String.valueOf(e.getMessage()));
    json.put("type", e.type());
    json.put("execution", "EXECUTED");
    json.set("details", e.details());
    return json;
  }

  /** Returns a failure for which no call was made. */
  public static ObjectNode of(String status, String message) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("status", status);
    json.put("message", message);
    return json;
  }
}
