package io.verbena.verbs.ffm.life;

import java.io.IOException;
import java.io.UncheckedIOException;

/** DiSNI's {@code close()}, which has no exception to throw and may come after a destruction. */
public final class Closing {
  private Closing() {}

  /** Destroys an object, unless that was done; a failure comes unchecked. */
  public static void quietly(Lifetime life, Lifetime.Free destruction) {
    if (!life.isOpen()) {
      return;
    }
    try {
      destruction.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
