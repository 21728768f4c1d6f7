package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Javadoc says in one way which threads may use a class or a method. */
class ThreadWordsTest {
  /** The end of a line in a comment. */
  private static final Pattern END = Pattern.compile("\\s*\\R\\s*(?:\\*|//)\\s*");

  private static final Pattern OTHERWISE =
      Pattern.compile(
          "Safe for any thread|Safe for all threads|Thread-safe\\.|[Ff]or the loop's thread|On the loop's thread");

  @Test
  void everyNoteOfThreadsHasTheSameWords() {
    List<Path> sources = Sources.of("main");
    assertThat(sources).hasSizeGreaterThan(500);
    assertThat(sources)
        .as("'Safe for use by any thread.' and 'On the loop.' have these words")
        .noneMatch(ThreadWordsTest::saysItOtherwise);
  }

  private static boolean saysItOtherwise(Path source) {
    return OTHERWISE.matcher(END.matcher(Sources.text(source)).replaceAll(" ")).find();
  }
}
