package io.verbena.spring.autoconfigure;

import io.verbena.api.settings.Spelling;
import io.verbena.spring.VerbenaProperties;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Suggests the property that was meant by an unknown one. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {
  private static final String PREFIX = "verbena";
  private static final String CLIENTS = PREFIX + ".clients.";
  private static final String ANY_NAME = CLIENTS + "*";

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable root, UnboundConfigurationPropertiesException cause) {
    List<ConfigurationProperty> unknown =
        cause.getUnboundProperties().stream()
            .filter(one -> one.getName().toString().startsWith(PREFIX + "."))
            .toList();
    if (unknown.isEmpty()) {
      return null;
    }
    return new FailureAnalysis(
        unknown.stream()
            .map(
                one ->
                    "%s is not a property of Verbena (%s)"
                        .formatted(one.getName(), one.getOrigin()))
            .collect(Collectors.joining(System.lineSeparator())),
        unknown.stream()
            .map(one -> one.getName().toString())
            .map(one -> "Write %s instead of %s, or remove it.".formatted(nearest(one), one))
            .collect(Collectors.joining(System.lineSeparator())),
        cause);
  }

  /** Returns the most similar property. Those with the same last part come first. */
  static String nearest(String unknown) {
    String client = "*";
    if (unknown.startsWith(CLIENTS)) {
      client = unknown.substring(CLIENTS.length()).replaceFirst("\\..*", "");
    }
    String named = CLIENTS + client;
    String last = unknown.substring(unknown.lastIndexOf('.'));
    List<String> known = new ArrayList<>();
    collect(PREFIX, VerbenaProperties.class, known);
    return known.stream()
        .map(name -> name.replace(ANY_NAME, named))
        .min(
            Comparator.comparing((String name) -> !name.endsWith(last))
                .thenComparing(name -> Spelling.distance(name, unknown)))
        .orElseThrow();
  }

  private static void collect(String prefix, Class<?> properties, List<String> names) {
    for (RecordComponent one : properties.getRecordComponents()) {
      String name = prefix + "." + DataObjectPropertyName.toDashedForm(one.getName());
      if (one.getType().isRecord()) {
        collect(name, one.getType(), names);
      } else if (one.getType() == Map.class) {
        collect(ANY_NAME, VerbenaProperties.Remote.class, names);
      } else {
        names.add(name);
      }
    }
  }
}
