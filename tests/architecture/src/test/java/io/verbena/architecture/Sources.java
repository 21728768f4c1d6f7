package io.verbena.architecture;

import io.verbena.testkit.Root;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The Java sources of all modules, samples included. */
final class Sources {
  private static final Path ROOT = Root.find();

  private Sources() {}

  /**
   * Returns the sources of a kind.
   *
   * @param kind {@code main} or {@code test}
   */
  static List<Path> of(String kind) {
    return modules().stream()
        .map(module -> module.resolve("src").resolve(kind).resolve("java"))
        .filter(Files::isDirectory)
        .flatMap(Sources::files)
        .filter(file -> file.toString().endsWith(".java"))
        .toList();
  }

  static String text(Path source) {
    try {
      return Files.readString(source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what may be a module: a folder at the top, or one of a group. */
  private static List<Path> modules() {
    try (Stream<Path> folders = Files.walk(ROOT, 2)) {
      return folders.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> files(Path below) {
    try (Stream<Path> files = Files.walk(below)) {
      return files.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
