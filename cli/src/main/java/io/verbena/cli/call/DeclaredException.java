package io.verbena.cli.call;

import com.fasterxml.jackson.databind.JsonNode;

/** An exception that the method called declares. */
final class DeclaredException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String type;
  private final transient JsonNode details;

  DeclaredException(String type, JsonNode details) {
    super(details.path("message").asText(""));
    this.type = type;
    this.details = details;
  }

  String type() {
    return type;
  }

  /** Returns its members. */
  JsonNode details() {
    return details;
  }
}
