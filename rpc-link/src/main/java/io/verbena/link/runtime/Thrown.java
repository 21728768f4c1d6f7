package io.verbena.link.runtime;

import io.verbena.api.settings.OneLine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Formats exceptions of user code. The methods of an exception are user code, too, and may throw
 * anything. Such an error must not reach the code that only wants to report the exception.
 */
public final class Thrown {
  private Thrown() {}

  /** Returns an exception's type without the package, and its message. */
  public static String words(Throwable thrown) {
    return words(thrown.getClass().getSimpleName(), thrown);
  }

  /** Returns an exception's type with the package, and its message. */
  public static String fullWords(Throwable thrown) {
    return words(thrown.getClass().getName(), thrown);
  }

  /**
   * Logs a line with an exception. If its stack trace cannot be written, only type and message are
   * logged.
   */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public static void log(
      Logger log, Level level, String format, @Nullable Object subject, Throwable thrown) {
    try {
      log.atLevel(level).setCause(thrown).log(format, OneLine.of(subject));
    } catch (Throwable broken) {
      log.atLevel(level).log(format + ": {}", OneLine.of(subject), fullWords(thrown));
    }
  }

  /**
   * Returns whether an exception's message contains the message of another. True for no message.
   */
  public static boolean repeats(Throwable thrown, String words) {
    try {
      String message = thrown.getMessage();
      return message == null || message.contains(words);
    } catch (RuntimeException | Error broken) {
      return false; // the exception has no readable message, so it repeats none
    }
  }

  private static String words(String type, Throwable thrown) {
    return type + ": " + message(thrown);
  }

  /** Returns an exception's message, or a text that says that it cannot be read. */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  public static @Nullable String message(Throwable thrown) {
    try {
      return thrown.getMessage();
    } catch (Throwable broken) {
      return "(its message cannot be had: " + broken.getClass().getName() + ")";
    }
  }
}
