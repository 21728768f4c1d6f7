package io.verbena.rdma;

import java.io.IOException;

/** What went wrong, in words for a session's path. */
public final class Words {
  private Words() {}

  /**
   * Returns the message of a failure of verbs, which says what to do; of all else what it is, too.
   * What a class's initializer failed for says more than that it did.
   */
  public static String of(Throwable thrown) {
    Throwable root = thrown;
    while (root instanceof ExceptionInInitializerError && root.getCause() != null) {
      root = root.getCause();
    }
    try {
      return root instanceof IOException ? String.valueOf(root.getMessage()) : root.toString();
    } catch (Throwable again) { // its message is a provider's work, too
      return root.getClass().getName();
    }
  }
}
