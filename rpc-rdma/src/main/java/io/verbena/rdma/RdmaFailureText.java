package io.verbena.rdma;

import io.verbena.link.runtime.Thrown;
import java.io.IOException;

/** Describes failures, for a session's path. */
public final class RdmaFailureText {
  private RdmaFailureText() {}

  /**
   * Returns the message of a verbs failure, which says what to do. For other exceptions it adds
   * their type. For a class that failed to initialize it reports the cause.
   */
  public static String of(Throwable thrown) {
    Throwable root = thrown;
    while (root instanceof ExceptionInInitializerError && root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof IOException ? Thrown.reason(root) : Thrown.fullWords(root);
  }
}
