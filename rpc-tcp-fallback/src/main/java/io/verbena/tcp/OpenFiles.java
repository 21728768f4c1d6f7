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

/** The files that this process may have open, sockets among them. */
final class OpenFiles {
  private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files\\s+(\\S+)");

  /** Read before they run out: then it could not be. */
  private static final String LIMIT = limit();

  /**
   * Loaded before they run out: a class that is not found then leaves callers without an answer.
   */
  private static final Class<?> LOADED = Thrown.class;

  /** A file that can be opened as long as any can. */
  private static final File ALWAYS = new File("/dev/null");

  /** Whether it is there: Windows has none, and says nothing of files that run out. */
  private static final boolean ASKABLE = ALWAYS.exists();

  private OpenFiles() {}

  /** Has the limit read while it can be. */
  static void prepare() {
    Class<?> _ = LOADED;
  }

  private static String limit() {
    try {
      Matcher told = SOFT_LIMIT.matcher(Files.readString(Path.of("/proc/self/limits")));
      return told.find() ? told.group(1) + " " : "";
    } catch (IOException | SecurityException e) {
      return ""; // this is not Linux
    }
  }

  /**
   * Returns whether so many files cannot be opened now. Asks the kernel, whose words are in any
   * language.
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
   * Returns why something failed that needed files: that they have run out, and what to do, or else
   * other words.
   */
  static String why(int needed, String otherwise) {
    return haveRunOut(needed) ? words() : otherwise;
  }

  /** The same, or else what was thrown says. */
  static String why(int needed, Throwable thrown) {
    return haveRunOut(needed) ? words() : Thrown.words(thrown);
  }

  private static String words() {
    return "this process has all the "
        + LIMIT
        + "files open that it may: raise 'ulimit -n', or LimitNOFILE in its systemd"
        + " unit, or close what it leaves open";
  }
}
