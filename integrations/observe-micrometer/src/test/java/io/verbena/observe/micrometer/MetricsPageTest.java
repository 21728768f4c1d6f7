package io.verbena.observe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of metrics and events has a row for each metric, as a registry has it. */
class MetricsPageTest {
  private static final Path PAGE = Root.resolve("docs/reference/metrics.md");

  @Test
  void everyMetricHasItsRow() throws Exception {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.equals("<!-- metrics -->"))
            .skip(1)
            .takeWhile(line -> !line.startsWith("<!--"))
            .filter(line -> line.startsWith("| `"))
            .toList();
    Scrape scrape =
        Scrape.ofProcessThatCalls(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    List<String> meters =
        scrape.meters().stream().map(MetricsPageTest::row).distinct().sorted().toList();
    assertThat(meters).hasSizeGreaterThan(15);
    assertThat(rows).containsExactlyElementsOf(meters);
    assertThat(scrape.meters())
        .allSatisfy(meter -> assertThat(scrape.labels()).containsKey(inPrometheus(meter)));
  }

  /** Returns a name by the rule above the page's table. */
  private static String inPrometheus(Meter.Id meter) {
    String name = meter.getName().replace('.', '_');
    return switch (meter.getType()) {
      case TIMER -> name + "_seconds_bucket";
      case COUNTER -> name + "_total";
      default -> name;
    };
  }

  private static String row(Meter.Id meter) {
    String tags =
        meter.getTags().stream()
            .map(Tag::getKey)
            .sorted()
            .map(key -> "`" + key + "`")
            .collect(Collectors.joining(", "));
    return "| `%s` | %s | %s | %s |"
        .formatted(
            meter.getName(),
            meter.getType().name().toLowerCase(Locale.ROOT),
            tags,
            meter.getDescription());
  }
}
