package io.verbena.observe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of metrics and events has a row for each metric, as a registry has it. */
class MetricsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/metrics.md");

  @Test
  void everyMetricHasItsRow() throws Exception {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.equals("<!-- metrics -->"))
            .skip(1)
            .takeWhile(line -> !line.startsWith("<!--"))
            .filter(line -> line.startsWith("| `"))
            .toList();
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Scrape scrape = Scrape.ofProcessThatCalls(registry);
    List<String> meters =
        scrape.meters().stream()
            .map(meter -> row(meter, told(meter, registry.config().namingConvention(), scrape)))
            .distinct()
            .sorted()
            .toList();
    assertThat(meters).hasSizeGreaterThan(15);
    assertThat(rows).containsExactlyElementsOf(meters);
  }

  /** Returns the name that Prometheus is told. */
  private static String told(Meter.Id meter, NamingConvention names, Scrape scrape) {
    String name = names.name(meter.getName(), meter.getType(), meter.getBaseUnit());
    String told = meter.getType() == Meter.Type.COUNTER ? name + "_total" : name;
    String sample = meter.getType() == Meter.Type.TIMER ? told + "_bucket" : told;
    assertThat(scrape.labels()).containsKey(sample);
    return told;
  }

  private static String row(Meter.Id meter, String told) {
    String tags =
        meter.getTags().stream()
            .map(Tag::getKey)
            .sorted()
            .map(key -> "`" + key + "`")
            .collect(Collectors.joining(", "));
    return "| `%s` | `%s` | %s | %s | %s |"
        .formatted(
            meter.getName(),
            told,
            meter.getType().name().toLowerCase(Locale.ROOT),
            tags,
            meter.getDescription());
  }
}
