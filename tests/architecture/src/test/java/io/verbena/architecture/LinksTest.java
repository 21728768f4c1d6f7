package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages link to pages, and to headings, that are there. */
class LinksTest {
  private static final Path ROOT = Root.find();
  private static final Pattern CODE = Pattern.compile("```.*?```", Pattern.DOTALL);
  private static final Pattern LINK =
      Pattern.compile("]\\((?!https?:)([^)\\s#]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    List<Path> pages = pages();
    for (Path page : pages) {
      String text = CODE.matcher(Files.readString(page)).replaceAll("");
      LINK.matcher(text)
          .results()
          .filter(link -> !leads(page, link.group(1), link.group(2)))
          .forEach(link -> broken.add(ROOT.relativize(page) + ": " + link.group()));
    }
    assertThat(pages).hasSizeGreaterThan(50);
    assertThat(broken).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT, 3)) {
      return files
          .filter(path -> path.toString().endsWith(".md"))
          .filter(path -> !path.startsWith(ROOT.resolve("target")))
          .toList();
    }
  }

  private static boolean leads(Path page, String path, String heading) {
    Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    try {
      return heading == null
          || HEADING
              .matcher(Files.readString(target))
              .results()
              .anyMatch(found -> anchor(found.group(1)).equals(heading));
    } catch (IOException e) {
      throw new IllegalStateException(target.toString(), e);
    }
  }

  /** Returns what a link to a heading ends in. */
  private static String anchor(String heading) {
    return heading
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .strip()
        .replace(' ', '-')
        .toLowerCase(Locale.ROOT);
  }
}
