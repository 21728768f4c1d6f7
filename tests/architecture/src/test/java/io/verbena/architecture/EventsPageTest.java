package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.junit.jupiter.api.Test;

/** The page of metrics and events has a row for each event of JFR's, as the code declares it. */
class EventsPageTest {
  private static final Path PAGE = Root.resolve("docs/reference/metrics.md");

  @Test
  void everyEventHasItsRow() throws Exception {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.equals("<!-- events -->"))
            .filter(line -> line.startsWith("| `"))
            .toList();
    List<String> events =
        Production.CLASSES.stream()
            .filter(type -> type.isAssignableTo(Event.class))
            .map(JavaClass::reflect)
            .map(EventsPageTest::row)
            .sorted()
            .toList();
    assertThat(events).hasSizeGreaterThan(4);
    assertThat(rows).containsExactlyElementsOf(events);
  }

  private static String row(Class<?> event) {
    String fields =
        Stream.of(event.getDeclaredFields())
            .filter(field -> field.isAnnotationPresent(Label.class)) // others are the JDK's own
            .map(field -> "`" + field.getName() + "`")
            .collect(Collectors.joining(", "));
    Threshold threshold = event.getAnnotation(Threshold.class);
    return "| `%s` | %s | %s | %s |"
        .formatted(
            Objects.requireNonNull(event.getAnnotation(Name.class)).value(),
            Objects.requireNonNull(event.getAnnotation(Description.class)).value(),
            fields,
            threshold == null ? "0" : threshold.value());
  }
}
