package io.verbena.tcp;

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

  private OpenFiles() {}

  /** Has the limit read while it can be. */
  static void prepare() {}

  private static String limit() {
    try {
      Matcher told = SOFT_LIMIT.matcher(Files.readString(Path.of("/proc/self/limits")));
      return told.find() ? told.group(1) + " " : "";
    } catch (IOException | SecurityException e) {
      return ""; // this is not Linux
    }
  }

  /**
   * Returns whether no file can be opened now. Asks the kernel, whose words are in any language.
   */
  static boolean haveRunOut() {
    try (InputStream _ = new FileInputStream("/dev/null")) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Returns what is the matter where they have run out, and what to do. */
  static String words() {
    return "this process has all the "
        + LIMIT
        + "files open that it may: raise 'ulimit -n', or LimitNOFILE in its systemd"
        + " unit, or close what it leaves open";
  }
}
