package io.verbena.verbs.ext;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Helps providers to implement DiSNI's {@code close()}, which may not throw a checked exception,
 * and may be called after the object was destroyed.
 */
public final class Closing {
  private Closing() {}

  /** Frees an object. */
  @FunctionalInterface
  public interface Destruction {
    /** Frees the object, or throws the reason that it cannot. */
    void run() throws IOException;
  }

  /** Destroys an object, unless that is done already. A failure is thrown unchecked. */
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
