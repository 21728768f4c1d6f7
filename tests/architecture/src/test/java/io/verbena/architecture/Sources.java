package io.verbena.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The Java sources of all modules, samples included. */
final class Sources {
  private static final Path ROOT = Path.of("..");

  private Sources() {}

  /**
   * Returns the sources of a kind.
   *
   * @param kind {@code main} or {@code test}
   */
  static List<Path> of(String kind) {
    return Stream.concat(children(ROOT), children(ROOT.resolve("samples")))
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

  private static Stream<Path> children(Path of) {
    try (Stream<Path> children = Files.list(of)) {
      return children.toList().stream();
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
