package io.verbena.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory of this process that no file stands behind: heap, stacks and what is allocated. */
final class AnonymousMemory {
  private static final String LINE = "RssAnon:";

  private AnonymousMemory() {}

  /** Returns how much of it is resident now, as Linux counts it. */
  static long bytes() throws IOException {
    String line =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(each -> each.startsWith(LINE))
            .findFirst()
            .orElseThrow();
    return Long.parseLong(line.substring(LINE.length()).replace("kB", "").strip()) << 10;
  }
}
