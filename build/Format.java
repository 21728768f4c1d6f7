import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.tools.ToolProvider;

/**
 * Checks ({@code check}) or rewrites ({@code write}) the format of every Java source in the tree,
 * on all processors: the rest of the build waits for it. A file of the user's keeps the digests of
 * sources that were found formatted; they are not looked at again, in whatever checkout they are. A
 * check also compiles {@code KeptLoader}, since javac is warm here: it has just compiled this.
 */
final class Format {
  private static final Path SEEN =
      Path.of(
              Objects.requireNonNullElse(
                  System.getenv("XDG_CACHE_HOME"), System.getProperty("user.home") + "/.cache"))
          .resolve("verbena/formatted.txt");

  private final String rules;
  private final Set<String> seenBefore;
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  private Format(String rules, Set<String> seenBefore) {
    this.rules = rules;
    this.seenBefore = seenBefore;
  }

  /** Takes what is to be done, and the formatter's version. */
  public static void main(String[] args) throws Exception {
    boolean write = args[0].equals("write");
    Format format =
        new Format(
            args[1] + Files.readString(Path.of("build", "Format.java")),
            Files.exists(SEEN) ? Set.copyOf(Files.readAllLines(SEEN)) : Set.of());
    List<Path> unformatted =
        sources().parallelStream().filter(source -> !format.isFormatted(source, write)).toList();
    keep(format.seen);
    compileLoader();
    unformatted.forEach(
        path -> System.out.println((write ? "formatted " : "not formatted: ") + path));
    if (!write && !unformatted.isEmpty()) {
      System.out.println("Run './verbena format' to format them.");
      System.exit(1);
    }
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        Path.of("."),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
            boolean hasNone =
                path.endsWith("target") || path.endsWith(".git") || path.endsWith("test/resources");
            return hasNone ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
            if (path.toString().endsWith(".java")) {
              sources.add(path);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }

  private static void compileLoader() throws IOException {
    Path made = Path.of("build", "KeptLoader.class");
    Path source = Path.of("build", "KeptLoader.java");
    if (Files.exists(made)
        && Files.getLastModifiedTime(made).compareTo(Files.getLastModifiedTime(source)) > 0) {
      return;
    }
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-d", "build", source.toString());
    if (failed != 0) {
      throw new IllegalStateException("build/KeptLoader.java does not compile");
    }
  }

  /** Whole or not at all: another build may read it. */
  private static void keep(Set<String> digests) throws Exception {
    try {
      Files.createDirectories(SEEN.getParent());
      Path fresh = Files.createTempFile(SEEN.getParent(), "formatted", ".txt");
      Files.write(fresh, digests.stream().sorted().toList());
      Files.move(fresh, SEEN, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException unwritable) {
      // Then the next build looks at all of them.
    }
  }

  private boolean isFormatted(Path source, boolean write) {
    try {
      String text = Files.readString(source);
      String digest = digest(text);
      if (seenBefore.contains(digest)) {
        seen.add(digest);
        return true;
      }
      String formatted =
          new Formatter()
              .formatSource(
                  RemoveUnusedImports.removeUnusedImports(
                      ImportOrderer.reorderImports(text, JavaFormatterOptions.Style.GOOGLE)));
      if (formatted.equals(text)) {
        seen.add(digest);
        return true;
      }
      if (write) {
        Files.writeString(source, formatted);
      }
      return false;
    } catch (Exception e) {
      throw new IllegalStateException(source + ": " + e.getMessage(), e);
    }
  }

  private String digest(String text) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256")
            .digest((rules + text).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }
}
