package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page's code is that of these tests. */
class HowToTest {
  private static final Pattern CODE =
      Pattern.compile("<!-- (\\S+) -->\n```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void itsCodeIsCompiled() throws Exception {
    String page = Files.readString(Path.of("../docs/how-to/kryo.md"));
    var blocks = CODE.matcher(page).results().toList();
    assertThat(blocks).hasSize(2);
    for (MatchResult block : blocks) {
      assertThat(Files.readString(Path.of("..", block.group(1)))).contains(block.group(2));
    }
  }
}
