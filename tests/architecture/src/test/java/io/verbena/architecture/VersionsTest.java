package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Pages have readers take the versions of libraries that the build has tested. */
class VersionsTest {
  private static final Pattern LIBRARY =
      Pattern.compile("<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");
  private static final Pattern PROPERTY = Pattern.compile("<([\\w.-]+\\.version)>([^<]+)</");

  @Test
  void theVersionsOfPagesAreTheBuilds() throws IOException {
    Map<String, String> build = build();
    Map<String, String> named = new HashMap<>();
    for (String page : List.of("docs/tutorial.md", "docs/how-to/observe.md")) {
      named.putAll(libraries(Files.readString(Root.resolve(page))));
    }
    named.values().removeIf(version -> version.equals("${verbena.version}"));
    assertThat(named)
        .containsOnlyKeys("opentelemetry-bom", "micrometer-registry-prometheus")
        .allSatisfy((library, version) -> assertThat(build).containsEntry(library, version));
  }

  private static Map<String, String> build() throws IOException {
    String pom = Files.readString(Root.resolve("pom.xml"));
    Map<String, String> properties =
        PROPERTY
            .matcher(pom)
            .results()
            .collect(
                Collectors.toMap(found -> "${" + found.group(1) + "}", found -> found.group(2)));
    Map<String, String> libraries = libraries(pom);
    libraries.replaceAll((library, version) -> properties.getOrDefault(version, version));
    return libraries;
  }

  private static Map<String, String> libraries(String text) {
    Map<String, String> libraries = new HashMap<>();
    for (MatchResult found : LIBRARY.matcher(text).results().toList()) {
      libraries.put(found.group(1), found.group(2));
    }
    return libraries;
  }
}
