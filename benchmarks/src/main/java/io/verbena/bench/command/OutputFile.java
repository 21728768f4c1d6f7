package io.verbena.bench.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that a user names for what is measured, which must not fail only when all is done. */
final class OutputFile {
  private OutputFile() {}

  /**
   * Sees whether a file can be written. What is in it stays, and one that is not there is not made.
   *
   * @throws IOException if it cannot; the message says which and why
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

  /** Returns a failure to write a file, in words that say which and why. */
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
