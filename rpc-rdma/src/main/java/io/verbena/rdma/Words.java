package io.verbena.rdma;

import java.io.IOException;

/** Describes failures, for a session's path. */
public final class Words {
  private Words() {}

  /**
   * Returns the message of a verbs failure, which says what to do. For other exceptions it adds
   * their type. For a class that failed to initialize it reports the cause.
   */
  public static String of(Throwable thrown) {
    Throwable root = thrown;
    while (root instanceof ExceptionInInitializerError && root.getCause() != null) {
      root = root.getCause();
    }
    try {
      return root instanceof IOException ? String.valueOf(root.getMessage()) : root.toString();
    } catch (Throwable again) { // its message is a provider's code, too
      return root.getClass().getName();
    }
  }
}
