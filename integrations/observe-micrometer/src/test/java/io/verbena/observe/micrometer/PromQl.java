package io.verbena.observe.micrometer;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names in an expression of PromQL's, as dashboards have it.
 *
 * @param metrics with the labels that their selectors name
 * @param grouping the labels that it groups by
 */
record PromQl(Map<String, Set<String>> metrics, Set<String> grouping) {
  private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|without|on|ignoring)\\s*\\(([^)]*)\\)");
  private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
  private static final Pattern METRIC =
      Pattern.compile("([a-zA-Z_:][\\w:]*)\\s*(?:\\{([^}]*)}|(?![\\w:]|\\s*\\())");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");
  private static final Pattern OPERATOR = Pattern.compile("and|or|unless|bool");

  static PromQl of(String expression) {
    String plain = RANGE.matcher(STRING.matcher(expression).replaceAll("''")).replaceAll("");
    Set<String> grouping = new LinkedHashSet<>();
    Matcher groups = GROUPING.matcher(plain);
    while (groups.find()) {
      grouping.addAll(Set.of(groups.group(1).strip().split("\\s*,\\s*")));
    }
    Map<String, Set<String>> metrics = new LinkedHashMap<>();
    Matcher metric = METRIC.matcher(groups.replaceAll(" "));
    while (metric.find()) {
      if (!OPERATOR.matcher(metric.group(1)).matches()) {
        Set<String> labels = metrics.computeIfAbsent(metric.group(1), m -> new LinkedHashSet<>());
        String selector = metric.group(2) == null ? "" : metric.group(2);
        MATCHER.matcher(selector).results().forEach(one -> labels.add(one.group(1)));
      }
    }
    return new PromQl(metrics, grouping);
  }
}
