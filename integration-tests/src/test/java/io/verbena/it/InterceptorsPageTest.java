package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page on interceptors shows code that these tests run. */
class InterceptorsPageTest {
  private static final Pattern CODE =
      Pattern.compile("<!-- (\\S+) -->\n```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void itsCodeIsRun() throws Exception {
    String page = Files.readString(Path.of("../docs/how-to/interceptors.md"));
    var blocks = CODE.matcher(page).results().toList();
    assertThat(blocks).hasSize(2);
    for (MatchResult block : blocks) {
      assertThat(Files.readString(Path.of("..", block.group(1)))).contains(block.group(2));
    }
  }
}
