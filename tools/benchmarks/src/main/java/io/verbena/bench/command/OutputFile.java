package io.verbena.bench.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An output file of the user. It is checked first, so that a run does not fail at its end. */
final class OutputFile {
  private OutputFile() {}

  /**
   * Checks that a file can be written. The content stays, and a missing file is not created.
   *
   * @throws IOException if the file cannot be written; the message names the file and the reason
   */
  static void check(Path file) throws IOException {
    boolean isNew = Files.notExists(file);
    try {
      Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
      if (isNew) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }

  /** Returns a failure whose message names the file and the reason. */
  static IOException unwritable(Path file, IOException e) {
    String why =
        switch (e) {
          case NoSuchFileException missing -> "no such folder";
          case AccessDeniedException denied -> "permission denied";
          case FileSystemException known -> String.valueOf(known.getReason());
          default -> e.getMessage();
        };
    return new IOException("cannot write " + file + ": " + why, e);
  }
}
