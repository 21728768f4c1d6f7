import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Checks ({@code check}) or rewrites ({@code write}) the format of every Java source in the tree,
 * on all processors: the rest of the build waits for it.
 */
final class Format {
  public static void main(String[] args) throws Exception {
    boolean write = args[0].equals("write");
    List<Path> sources;
    try (var tree = Files.walk(Path.of("."))) {
      sources =
          tree.filter(path -> path.toString().endsWith(".java"))
              .filter(path -> !path.toString().contains("/target/"))
              .filter(path -> !path.toString().contains("/src/test/resources/"))
              .toList();
    }
    List<Path> unformatted =
        sources.parallelStream().filter(source -> !isFormatted(source, write)).toList();
    unformatted.forEach(
        path -> System.out.println((write ? "formatted " : "not formatted: ") + path));
    if (!write && !unformatted.isEmpty()) {
      System.out.println("Run './verbena format' to format them.");
      System.exit(1);
    }
  }

  private static boolean isFormatted(Path source, boolean write) {
    try {
      String text = Files.readString(source);
      String formatted =
          new Formatter()
              .formatSource(
                  RemoveUnusedImports.removeUnusedImports(
                      ImportOrderer.reorderImports(text, JavaFormatterOptions.Style.GOOGLE)));
      if (write && !formatted.equals(text)) {
        Files.writeString(source, formatted);
      }
      return formatted.equals(text);
    } catch (Exception e) {
      throw new IllegalStateException(source + ": " + e.getMessage(), e);
    }
  }
}
