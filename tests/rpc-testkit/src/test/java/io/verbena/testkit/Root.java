package io.verbena.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of the project, found from the folder of any module. */
public final class Root {
  private Root() {}

  /**
   * Returns the nearest folder above the current one that has the command {@code verbena}.
   *
   * @throws IllegalStateException if none has
   */
  public static Path find() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.isRegularFile(folder.resolve("verbena"))) {
        return folder;
      }
    }
    throw new IllegalStateException(
        "no folder above " + Path.of("").toAbsolutePath() + " has the file 'verbena'.");
  }

  /** Returns a file of the project by its path from the project's folder. */
  public static Path resolve(String path) {
    return find().resolve(path);
  }
}
