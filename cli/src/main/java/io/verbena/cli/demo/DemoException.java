package io.verbena.cli.demo;

/** The demonstration did not go as it should; the message says where. */
final class DemoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    super("the demonstration failed: " + message);
  }

  DemoException(String message, Throwable cause) {
    super("the demonstration failed: " + message, cause);
  }
}
