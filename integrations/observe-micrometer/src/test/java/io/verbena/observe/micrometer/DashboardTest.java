package io.verbena.observe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard asks for what a process tells Prometheus. */
class DashboardTest {
  private static final Path DASHBOARD = Root.resolve("docs/operations/grafana-dashboard.json");
  private static final Pattern VALUES = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

  @Test
  void everyMetricAndLabelIsInAScrape() throws Exception {
    JsonObject dashboard = JsonParser.parseString(Files.readString(DASHBOARD)).getAsJsonObject();
    Scrape scrape = Scrape.ofProcessThatCalls();
    List<JsonObject> targets = targets(dashboard);
    assertThat(targets).hasSizeGreaterThan(20);
    for (JsonObject target : targets) {
      String expression = target.get("expr").getAsString();
      PromQl names = PromQl.of(expression);
      assertThat(names.metrics()).as(expression).isNotEmpty();
      names.metrics().forEach((metric, labels) -> asks(scrape, expression, metric, labels));
      names
          .metrics()
          .forEach((metric, labels) -> asks(scrape, expression, metric, names.grouping()));
      String legend = target.get("legendFormat").getAsString();
      assertThat(names.grouping()).as(legend).containsAll(found(LEGEND, legend));
    }
  }

  @Test
  void itsMethodsAreThoseThatAreCalled() throws Exception {
    String text = Files.readString(DASHBOARD);
    Matcher query = VALUES.matcher(text);
    assertThat(query.find()).isTrue();
    Scrape scrape = Scrape.ofProcessThatCalls();
    asks(scrape, query.group(), query.group(1), Set.of(query.group(2)));
    assertThat(scrape.text()).contains("rpc_method=\"shop.v1/price\"");
  }

  @Test
  void expressionsAreTakenApart() {
    assertThat(
            PromQl.of("sum by (le, a) (rate(x_bucket{b=~\"$c\", d!=\"e\"}[$__rate_interval])) / y"))
        .isEqualTo(
            new PromQl(Map.of("x_bucket", Set.of("b", "d"), "y", Set.of()), Set.of("le", "a")));
  }

  private static void asks(Scrape scrape, String expression, String metric, Set<String> labels) {
    assertThat(scrape.labels()).as(expression).containsKey(metric);
    assertThat(scrape.labels().get(metric)).as(expression).containsAll(labels);
  }

  private static List<JsonObject> targets(JsonObject dashboard) {
    List<JsonObject> all = new ArrayList<>();
    for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
      if (panel.getAsJsonObject().has("targets")) {
        panel
            .getAsJsonObject()
            .getAsJsonArray("targets")
            .forEach(target -> all.add(target.getAsJsonObject()));
      }
    }
    return all;
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
  }
}
