package io.verbena.codec.json;

import com.fasterxml.jackson.databind.JsonNode;

/** An exception that the called method declares. */
public final class DeclaredException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String type;
  private final transient JsonNode details;

  DeclaredException(String type, JsonNode details) {
    super(details.path("message").asText(""));
    this.type = type;
    this.details = details;
  }

  /** Returns the name of its type in the contract. */
  public String type() {
    return type;
  }

  /** Returns its members. */
  public JsonNode details() {
    return details;
  }
}
