package io.verbena.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of a machine. A file that is absent or unreadable gives an empty result, never an
 * exception.
 *
 * @param root {@code /}, or the tree of a test
 */
record Host(Path root) {
  /** Returns the path of a file below the root, from its absolute name on the machine. */
  Path path(String name) {
    return root.resolve(name.substring(1));
  }

  boolean exists(String name) {
    return Files.exists(path(name));
  }

  /** Returns whether this process may open the file for reading and writing, as verbs must. */
  boolean mayReadAndWrite(String name) {
    return Files.isReadable(path(name)) && Files.isWritable(path(name));
  }

  /** Returns the whole file, without blanks at its ends. */
  Optional<String> text(String name) {
    try {
      // Some files of sysfs give an error instead of bytes, such as EINVAL for an empty GID.
      byte[] bytes = Files.readAllBytes(path(name));
      return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip());
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /** Returns the lines of a file; none if there is no file. */
  List<String> lines(String name) {
    return text(name).map(all -> all.lines().toList()).orElse(List.of());
  }

  /** Returns the sorted names in a directory; none if there is no directory. */
  List<String> names(String directory) {
    try (Stream<Path> entries = Files.list(path(directory))) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    } catch (IOException unreadable) {
      return List.of();
    }
  }
}
