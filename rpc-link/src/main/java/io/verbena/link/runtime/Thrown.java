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
  /** Of an exception without a message. Causes may form a cycle. */
  private static final int MOST_CAUSES = 3;

  private Thrown() {}

  /** Returns an exception's type without the package, and its message if it has one. */
  public static String words(Throwable thrown) {
    return words(simpleName(thrown), thrown, MOST_CAUSES);
  }

  /** Returns an exception's type with the package, and its message if it has one. */
  public static String fullWords(Throwable thrown) {
    return words(thrown.getClass().getName(), thrown, MOST_CAUSES);
  }

  /** Returns an exception's message, or its type without the package if it has none. */
  public static String reason(Throwable thrown) {
    String message = message(thrown, MOST_CAUSES);
    return message.isEmpty() ? simpleName(thrown) : message;
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

  private static String words(String type, Throwable thrown, int causes) {
    String message = message(thrown, causes);
    return message.isEmpty() ? type : type + ": " + message;
  }

  private static String simpleName(Throwable thrown) {
    String name = thrown.getClass().getSimpleName(); // an anonymous class has none
    return name.isEmpty() ? thrown.getClass().getName() : name;
  }

  /**
   * Returns an exception's message, or a text that says that it cannot be read. Without a message,
   * as wrappers of proxies and reflection are, it has the words of its cause, or is empty.
   */
  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  private static String message(Throwable thrown, int causes) {
    try {
      String message = thrown.getMessage();
      if (message != null && !message.isBlank()) {
        return message;
      }
      Throwable cause = causes == 0 ? null : thrown.getCause();
      return cause == null ? "" : words(cause.getClass().getName(), cause, causes - 1);
    } catch (Throwable broken) {
      return "(its message cannot be had: " + broken.getClass().getName() + ")";
    }
  }
}
