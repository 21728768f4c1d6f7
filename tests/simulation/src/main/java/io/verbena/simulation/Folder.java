package io.verbena.simulation;

import io.verbena.simulation.check.Content;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory of a run for objects that land in files. It is deleted at the end of the run. */
final class Folder implements AutoCloseable {
  private @Nullable Path directory;

  /** Returns the file of an object. */
  Path of(long op) {
    try {
      Path made = directory;
      if (made == null) {
        made = Files.createTempDirectory("verbena-simulation-");
        directory = made;
      }
      return made.resolve("object" + op);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether a file contains a whole object. */
  static boolean isWhole(Path file, long op, long length) {
    try {
      return Files.size(file) == length
          && Content.difference(MemorySegment.ofArray(Files.readAllBytes(file)), op, 0) < 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns files of an object that did not arrive, which should not exist.
   *
   * @param part whether the partial file may exist, for another transfer to continue
   */
  static List<String> left(Path file, boolean part) {
    List<String> left = new ArrayList<>();
    for (String end : part ? List.of("") : List.of("", ".verbena.part", ".verbena.sums")) {
      if (Files.exists(file.resolveSibling(file.getFileName() + end))) {
        left.add(file.getFileName() + end);
      }
    }
    return left;
  }

  @Override
  public void close() {
    Path made = directory;
    if (made == null) {
      return;
    }
    directory = null;
    try (Stream<Path> all = Files.list(made)) {
      for (Path file : all.toList()) {
        Files.delete(file);
      }
      Files.delete(made);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
