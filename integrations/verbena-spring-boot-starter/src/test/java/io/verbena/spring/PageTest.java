package io.verbena.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.spring.VerbenaProperties.HealthCheck;
import io.verbena.spring.VerbenaProperties.Remote;
import io.verbena.testkit.Root;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The page on Spring Boot has a row for each property, and shows the sample as it is. */
class PageTest {
  private static final Path PAGE = Root.resolve("docs/how-to/spring-boot.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `(verbena\\.[^\\s=]+)` \\|[^|]*\\| (.*) \\|");
  private static final Pattern SEVERAL = Pattern.compile("\\{(.*)}");
  private static final Pattern SHOWN =
      Pattern.compile("<!-- (\\S+) -->\n```\\w+\n(.*?)```", Pattern.DOTALL);

  @Test
  void everyPropertyHasARowAndEveryRowAProperty() throws IOException {
    Map<String, String> rows = new HashMap<>();
    for (MatchResult row : ROW.matcher(Files.readString(PAGE)).results().toList()) {
      named(row.group(1)).forEach(name -> assertThat(rows.put(name, row.group(2))).isNull());
    }
    Map<String, String> told = told();
    assertThat(rows).containsOnlyKeys(Stream.concat(told.keySet().stream(), ofAClient()).toList());
    assertThat(told)
        .allSatisfy((name, description) -> assertThat(rows.get(name)).startsWith(description));
  }

  /** Returns the properties of a row, whose name may hold several, as {a,b}. */
  private static List<String> named(String row) {
    Matcher several = SEVERAL.matcher(row);
    return several.find()
        ? Stream.of(several.group(1).split(",")).map(several::replaceFirst).toList()
        : List.of(row);
  }

  /** The hints for editors. */
  private static Map<String, String> told() throws IOException {
    String file = "/META-INF/spring-configuration-metadata.json";
    try (InputStream in = Objects.requireNonNull(PageTest.class.getResourceAsStream(file))) {
      return new JsonMapper()
          .readTree(in)
          .get("properties")
          .valueStream()
          .filter(property -> !property.get("name").asString().equals("verbena.clients"))
          .collect(
              Collectors.toMap(
                  property -> property.get("name").asString(),
                  property -> property.get("description").asString()));
    }
  }

  /** Metadata have no name for what is in a map. */
  private static Stream<String> ofAClient() {
    return Stream.concat(
            names(Remote.class), names(HealthCheck.class).map(name -> "health." + name))
        .filter(name -> !name.equals("health"))
        .map(name -> "verbena.clients.NAME." + name);
  }

  private static Stream<String> names(Class<?> properties) {
    return Arrays.stream(properties.getRecordComponents())
        .map(RecordComponent::getName)
        .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
  }

  @Test
  void itShowsTheSample() throws IOException {
    List<MatchResult> shown = SHOWN.matcher(Files.readString(PAGE)).results().toList();
    assertThat(shown)
        .as("the pom that is built and started, and two files of the sample")
        .hasSize(3);
    for (MatchResult block : shown) {
      assertThat(Files.readString(Root.resolve(block.group(1)), StandardCharsets.UTF_8))
          .contains(block.group(2));
    }
  }
}
