package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages on how to do things show code that tests run. */
class HowToTest {
  private static final Pattern CODE =
      Pattern.compile("<!-- (\\S+) -->\n```java\n(.*?)```", Pattern.DOTALL);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "arrow.md",
        "certificates.md",
        "coming-from-darpc.md",
        "coming-from-dubbo.md",
        "coming-from-grpc.md",
        "foreign-memory.md",
        "grpc.md",
        "interceptors.md",
        "kryo.md",
        "many-machines.md",
        "observe.md",
        "regions.md",
        "streams.md",
        "test-your-service.md"
      })
  void showTheCodeOfTests(String name) throws Exception {
    String page = Files.readString(Root.resolve("docs/how-to/" + name));
    var blocks = CODE.matcher(page).results().toList();
    assertThat(blocks).hasSizeGreaterThan(1);
    for (MatchResult block : blocks) {
      assertThat(Files.readString(Root.resolve(block.group(1)))).contains(block.group(2));
    }
  }
}
