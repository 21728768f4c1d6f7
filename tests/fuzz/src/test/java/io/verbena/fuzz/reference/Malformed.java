package io.verbena.fuzz.reference;

/** Bytes that are no message of this contract. */
public final class Malformed extends Exception {
  private static final long serialVersionUID = 1L;

  Malformed(String message) {
    super(message);
  }
}
