import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks ({@code check}) or rewrites ({@code write}) the format of every Java source in the tree.
 */
final class Format {
  public static void main(String[] args) throws Exception {
    boolean write = args[0].equals("write");
    Formatter formatter = new Formatter();
    List<Path> unformatted = new ArrayList<>();
    List<Path> sources;
    try (var tree = Files.walk(Path.of("."))) {
      sources =
          tree.filter(path -> path.toString().endsWith(".java"))
              .filter(path -> !path.toString().contains("/target/"))
              .filter(path -> !path.toString().contains("/src/test/resources/"))
              .toList();
    }
    for (Path source : sources) {
      String text = Files.readString(source);
      String formatted;
      try {
        formatted =
            formatter.formatSource(
                RemoveUnusedImports.removeUnusedImports(
                    ImportOrderer.reorderImports(text, JavaFormatterOptions.Style.GOOGLE)));
      } catch (Exception e) {
        throw new IllegalStateException(source + ": " + e.getMessage(), e);
      }
      if (!formatted.equals(text)) {
        unformatted.add(source);
        if (write) {
          Files.writeString(source, formatted);
        }
      }
    }
    unformatted.forEach(
        path -> System.out.println((write ? "formatted " : "not formatted: ") + path));
    if (!write && !unformatted.isEmpty()) {
      System.out.println("Run './verbena format' to format them.");
      System.exit(1);
    }
  }
}
