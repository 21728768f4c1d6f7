package io.verbena.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The temporary files of a process. They are in one folder, which is deleted when the process ends,
 * also by Ctrl-C. Safe for use by any thread.
 */
public final class Scratch {
  private static @Nullable Path folder;

  private Scratch() {}

  public static Path file() throws IOException {
    return Files.createTempFile(ofThisProcess(), "", ".object");
  }

  public static Path folder() throws IOException {
    return Files.createTempDirectory(ofThisProcess(), "");
  }

  private static synchronized Path ofThisProcess() throws IOException {
    Path known = folder;
    if (known == null) {
      Path made = Files.createTempDirectory("verbena-bench");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made), "delete " + made));
      folder = made;
      known = made;
    }
    return known;
  }

  private static void delete(Path made) {
    try (Stream<Path> files = Files.walk(made)) {
      List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : innermostFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("verbena bench: " + made + " cannot be deleted: " + e.getMessage());
    }
  }
}
