package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of reliability names tests that exist. */
class ReliabilityPageTest {
  private static final Path PAGE = Root.resolve("docs/internals/reliability.md");

  /** A test in code font, and perhaps one of its methods; an ellipsis stands for a part of it. */
  private static final Pattern TEST =
      Pattern.compile("`(?:\\w+\\.)?([A-Z]\\w*(?:Test|Suite|Contract))(?:(?:: |\\.)(…?\\w+…?))?`");

  /** The beginning of a method of a test that was named before. */
  private static final Pattern METHOD = Pattern.compile("`([a-z]\\w+)…`");

  @Test
  void everyNamedTestExists() throws IOException {
    Map<String, String> sources = sources();
    String page = Files.readString(PAGE);
    List<MatchResult> named = TEST.matcher(page).results().toList();
    List<String> missing = new ArrayList<>();
    for (MatchResult test : named) {
      String source = sources.get(test.group(1));
      if (source == null || (test.group(2) != null && !has(source, test.group(2)))) {
        missing.add(test.group());
      }
    }
    METHOD
        .matcher(page)
        .results()
        .filter(method -> sources.values().stream().noneMatch(s -> s.contains(method.group(1))))
        .forEach(method -> missing.add(method.group()));
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(missing).isEmpty();
  }

  private static boolean has(String source, String name) {
    return Pattern.compile("\\b" + name.replace("…", "\\w*") + "\\b").matcher(source).find();
  }

  /** Returns the sources by the names of their classes; several may have one name. */
  private static Map<String, String> sources() {
    Map<String, String> sources = new HashMap<>();
    Stream.of("main", "test")
        .flatMap(kind -> Sources.of(kind).stream())
        .forEach(
            file -> {
              String name = file.getFileName().toString().replace(".java", "");
              sources.merge(name, Sources.text(file), String::concat);
            });
    return sources;
  }
}
