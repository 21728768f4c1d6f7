package io.verbena.fuzz;

import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Looks for inputs that break a rule: a few seconds over all targets in {@code ./verbena test}, and
 * with {@code -Dverbena.full=true} each target for {@code -Dverbena.fuzz.seconds} (60), or one
 * alone that {@code -Dverbena.fuzz.target} names. {@code -Dverbena.fuzz.keep=true} then stores the
 * smallest inputs that reach all that was reached.
 */
@Timeout(36_000)
class FuzzTest {
  private static final String FULL = "verbena.full";
  private static final int SHORT_SECONDS = 3;
  private static final int MOST_KEPT = 60;

  static List<Targets> targets() {
    String only = System.getProperty(Fuzzed.TARGET);
    return only == null
        ? List.of(Targets.values())
        : List.of(Targets.valueOf(only.toUpperCase(Locale.ROOT)));
  }

  @Test
  @Tag("long")
  @DisabledIfSystemProperty(named = FULL, matches = "true")
  void aFewSecondsFindNothing() throws Exception {
    new Fuzzer(null).search(SHORT_SECONDS);
  }

  @ParameterizedTest
  @MethodSource("targets")
  @EnabledIfSystemProperty(named = FULL, matches = "true")
  void aLongRunFindsNothing(Targets target) throws Exception {
    Fuzzer fuzzer = new Fuzzer(target);
    fuzzer.search(Integer.getInteger("verbena.fuzz.seconds", 60));
    if (Boolean.getBoolean("verbena.fuzz.keep")) {
      Files.createDirectories(Corpus.file(target).getParent());
      Stream<String> kept = fuzzer.smallest(MOST_KEPT).stream().map(Corpus::line);
      Files.write(Corpus.file(target), Stream.concat(findings(target), kept).distinct().toList());
    }
  }

  /** Those that broke a rule once have a line before them that says so; they stay. */
  private static Stream<String> findings(Targets target) throws Exception {
    if (!Files.exists(Corpus.file(target))) {
      return Stream.of();
    }
    List<String> lines = Files.readAllLines(Corpus.file(target));
    int last = 0;
    for (int i = 0; i < lines.size(); i++) {
      last = lines.get(i).startsWith("#") ? i + 2 : last;
    }
    return lines.subList(0, Math.min(last, lines.size())).stream();
  }
}
