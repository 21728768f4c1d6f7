package io.verbena.link.runtime;

import io.verbena.api.settings.OneLine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Exceptions of users' in words. What an exception says of itself is its user's code too: it may
 * throw anything, and an error of it must not become that of whoever only wanted to tell.
 */
public final class Thrown {
  private Thrown() {}

  /** Returns an exception's type, without its package, and message. */
  public static String words(Throwable thrown) {
    return words(thrown.getClass().getSimpleName(), thrown);
  }

  /** Returns an exception's type, with its package, and message. */
  public static String fullWords(Throwable thrown) {
    return words(thrown.getClass().getName(), thrown);
  }

  /** Writes a line with what was thrown; where that cannot be written, with its words alone. */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public static void log(
      Logger log, Level level, String format, @Nullable Object subject, Throwable thrown) {
    try {
      log.atLevel(level).setCause(thrown).log(format, OneLine.of(subject));
    } catch (Throwable broken) {
      log.atLevel(level).log(format + ": {}", OneLine.of(subject), fullWords(thrown));
    }
  }

  /** Returns whether an exception's message is, or has, these words of another's. */
  public static boolean repeats(Throwable thrown, String words) {
    try {
      String message = thrown.getMessage();
      return message == null || message.contains(words);
    } catch (RuntimeException | Error broken) {
      return false; // it has no message of its own to tell, and none of another's
    }
  }

  private static String words(String type, Throwable thrown) {
    return type + ": " + message(thrown);
  }

  /** Returns an exception's message; where that cannot be had, so. */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public static @Nullable String message(Throwable thrown) {
    try {
      return thrown.getMessage();
    } catch (Throwable broken) {
      return "(its message cannot be had: " + broken.getClass().getName() + ")";
    }
  }
}
