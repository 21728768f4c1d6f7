package io.verbena.core.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.link.runtime.Thrown;
import java.io.FileNotFoundException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A failure of user code to use a file. The peer may learn the name of the file, but not its
 * directory. If the file is missing, the caller has to correct the request.
 *
 * @param file the full path
 * @param words the message for the peer
 */
public record FileTrouble(String file, RpcStatus status, String words) {
  private static final int DEEPEST = 16;

  /** The messages of {@code java.io}: a file, and the system's reason. */
  private static final Pattern OLDER = Pattern.compile("(?s)(.*) \\((.*)\\)");

  /** Returns the file failure in an exception of user code; null if there is none. */
  public static @Nullable FileTrouble in(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      FileTrouble trouble = of(cause);
      if (trouble != null) {
        boolean repeated = cause == thrown || Thrown.repeats(thrown, trouble.file);
        return repeated ? trouble : null;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static @Nullable FileTrouble of(Throwable cause) {
    return switch (cause) {
      case FileSystemException e when e.getFile() != null ->
          of(e, e.getFile(), e.getReason(), e instanceof NoSuchFileException);
      case FileNotFoundException e -> of(e);
      default -> null;
    };
  }

  private static @Nullable FileTrouble of(FileNotFoundException cause) {
    Matcher words = OLDER.matcher(String.valueOf(cause.getMessage()));
    return words.matches()
        ? of(cause, words.group(1), words.group(2), isMissing(words.group(1)))
        : null;
  }

  /**
   * Returns whether the file is missing. The system's reason would say the same in the machine's
   * language.
   */
  private static boolean isMissing(String file) {
    try {
      return Files.notExists(Path.of(file));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static FileTrouble of(
      Exception cause, String file, @Nullable String reason, boolean isMissing) {
    String name = "the file '" + nameOf(file) + "'";
    if (isMissing) {
      return new FileTrouble(file, RpcStatus.INVALID_ARGUMENT, name + " is not there");
    }
    String why = reason == null ? "" : ": " + reason;
    return new FileTrouble(
        file, RpcStatus.INTERNAL, cause.getClass().getName() + " of " + name + why);
  }

  /** Returns the message with the file's name instead of its path. */
  String hiddenIn(String told) {
    return file.isEmpty() ? told : told.replace(file, nameOf(file));
  }

  private static String nameOf(String file) {
    try {
      Path name = Path.of(file).getFileName();
      return name == null ? "" : name.toString();
    } catch (InvalidPathException e) {
      return "";
    }
  }
}
