package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of the architecture names classes and methods that exist. */
class HopsPageTest {
  private static final Path PAGE = Root.resolve("docs/concepts/architecture.md");

  /** A class in code font, and perhaps its method; frames are in capitals. */
  private static final Pattern NAME = Pattern.compile("`([A-Z][a-z]\\w*(?:\\.\\w+)?)(?:\\(\\))?`");

  @Test
  void everyHopExists() throws IOException {
    Set<String> named =
        NAME.matcher(Files.readString(PAGE))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toSet());
    Set<String> existing =
        Production.CLASSES.stream().flatMap(HopsPageTest::names).collect(Collectors.toSet());
    assertThat(named).contains("SessionCaller", "ServerCall.run");
    assertThat(existing).containsAll(named);
  }

  /** Returns a class's name, and its methods' behind it. */
  private static Stream<String> names(JavaClass type) {
    String name = type.getSimpleName();
    return Stream.concat(
        Stream.of(name), type.getMethods().stream().map(method -> name + "." + method.getName()));
  }
}
