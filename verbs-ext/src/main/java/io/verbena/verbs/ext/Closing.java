package io.verbena.verbs.ext;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * DiSNI's {@code close()}, which has no exception to throw and may come after a destruction. For
 * providers.
 */
public final class Closing {
  private Closing() {}

  /** Frees an object. */
  @FunctionalInterface
  public interface Destruction {
    /** Frees it, or says why that cannot be. */
    void run() throws IOException;
  }

  /** Destroys an object, unless that was done; a failure comes unchecked. */
  public static void unless(boolean done, Destruction destruction) {
    if (!done) {
      try {
        destruction.run();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
