package io.verbena.tcp;

import io.verbena.link.runtime.Thrown;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limit of open files of this process; sockets count too. */
final class OpenFiles {
  private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files\\s+(\\S+)");

  /** Read at the start: without free files it could not be read. */
  private static final String LIMIT = limit();

  /**
   * Loaded at the start: without free files the class would not be found, and callers would get no
   * answer.
   */
  private static final Class<?> LOADED = Thrown.class;

  /** A file that can be opened as long as any can. */
  private static final File ALWAYS = new File("/dev/null");

  /** Whether the file exists. Windows does not have it, and does not report a lack of files. */
  private static final boolean ASKABLE = ALWAYS.exists();

  private OpenFiles() {}

  /** Reads the limit while that is possible. */
  static void prepare() {
    Class<?> _ = LOADED;
  }

  private static String limit() {
    try {
      Matcher told = SOFT_LIMIT.matcher(Files.readString(Path.of("/proc/self/limits")));
      return told.find() ? told.group(1) + " " : "";
    } catch (IOException | SecurityException e) {
      return ""; // not Linux
    }
  }

  /**
   * Returns whether this many files cannot be opened now. It tries that, because the kernel's
   * messages may be in any language.
   */
  private static boolean haveRunOut(int needed) {
    if (needed == 0 || !ASKABLE) {
      return false;
    }
    try (InputStream _ = new FileInputStream(ALWAYS)) {
      return haveRunOut(needed - 1);
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Returns the reason of a failure that may come from a lack of files, with its cure; or else
   * {@code otherwise}.
   */
  static String why(int needed, String otherwise) {
    return haveRunOut(needed) ? words() : otherwise;
  }

  /**
   * Returns the reason of a failure like {@link #why(int, String)}, or else that of the exception.
   */
  static String why(int needed, Throwable thrown) {
    return haveRunOut(needed) ? words() : Thrown.words(thrown);
  }

  private static String words() {
    return "this process has reached its limit of "
        + LIMIT
        + "open files: raise 'ulimit -n', or LimitNOFILE in its systemd"
        + " unit, or close what it leaves open";
  }
}
