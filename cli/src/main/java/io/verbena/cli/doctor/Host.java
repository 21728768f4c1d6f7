package io.verbena.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of a machine. What is not there or may not be read is empty, never an exception.
 *
 * @param root {@code /}, or a test's own tree
 */
record Host(Path root) {
  /** A file below the root, by its absolute name on the machine. */
  Path path(String name) {
    return root.resolve(name.substring(1));
  }

  boolean exists(String name) {
    return Files.exists(path(name));
  }

  /** Whether this process may open the file for both, as verbs must. */
  boolean mayReadAndWrite(String name) {
    return Files.isReadable(path(name)) && Files.isWritable(path(name));
  }

  /** The whole file, without blanks at its ends. */
  Optional<String> text(String name) {
    try {
      // Some of sysfs answers with an error instead of bytes, such as EINVAL for an empty GID.
      byte[] bytes = Files.readAllBytes(path(name));
      return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip());
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /** The lines of a file; none where there is no file. */
  List<String> lines(String name) {
    return text(name).map(all -> all.lines().toList()).orElse(List.of());
  }

  /** The names in a directory, sorted; none where there is no directory. */
  List<String> names(String directory) {
    try (Stream<Path> entries = Files.list(path(directory))) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    } catch (IOException unreadable) {
      return List.of();
    }
  }
}
