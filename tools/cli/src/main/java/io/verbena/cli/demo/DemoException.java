package io.verbena.cli.demo;

/** Says that a step of the demonstration failed. The message names the step. */
final class DemoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    super("the demonstration failed: " + message);
  }

  DemoException(String message, Throwable cause) {
    super("the demonstration failed: " + message, cause);
  }
}
