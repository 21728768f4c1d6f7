package io.verbena.bench.report;

import static java.util.Locale.ROOT;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Sums a report up in sentences. */
final class Summary {
  private Summary() {}

  /** Returns a line for each load: which contestant leads, and by how much. */
  static List<String> of(Report report) {
    List<String> lines = new ArrayList<>();
    report.results().stream()
        .collect(groupingBy(one -> Tables.words(one.load()), LinkedHashMap::new, toList()))
        .forEach(
            (load, results) ->
                lines.add(
                    "%s: %s; %s; %s."
                        .formatted(
                            load,
                            leader("lowest p50", "us", results, Round::p50, false),
                            leader("most calls", "/s", results, Round::callsPerSecond, true),
                            leader("least CPU", "us", results, Round::cpuMicros, false))));
    return lines;
  }

  private static String leader(
      String title,
      String unit,
      List<Result> all,
      ToDoubleFunction<Round> figure,
      boolean moreIsBetter) {
    Comparator<Result> byMedian = Comparator.comparingDouble(result -> result.median(figure));
    List<Result> ranked =
        all.stream()
            .filter(result -> result.median(figure) > 0) // 0 means unknown
            .sorted(moreIsBetter ? byMedian.reversed() : byMedian)
            .toList();
    if (ranked.isEmpty()) {
      return title + " unknown";
    }
    Result first = ranked.getFirst();
    String words =
        "%s %s, %s %s".formatted(title, first.contestant(), number(first.median(figure)), unit);
    return ranked.size() == 1 ? words : words + before(first, ranked.get(1), figure, moreIsBetter);
  }

  private static String before(
      Result first, Result second, ToDoubleFunction<Round> figure, boolean moreIsBetter) {
    boolean apart =
        moreIsBetter
            ? first.least(figure) > second.most(figure)
            : first.most(figure) < second.least(figure);
    double ratio = first.median(figure) / second.median(figure);
    return apart
        ? String.format(
            ROOT,
            " (%.2f times better than %s)",
            moreIsBetter ? ratio : 1 / ratio,
            second.contestant())
        : " (its rounds overlap those of %s: no clear lead)".formatted(second.contestant());
  }

  /** Returns a line for each contestant with two states. */
  static List<String> ofStates(List<Result> results) {
    List<String> lines = new ArrayList<>();
    for (Result result : results) {
      Result.@Nullable States states = result.states();
      if (states != null) {
        lines.add(
            "%s has two states in %s: p50 of %s us in %d of its rounds, of %s us in %d. Its median belongs to one of them: look for the cause, or use more rounds."
                .formatted(
                    result.contestant(),
                    Tables.words(result.load()),
                    number(states.fastP50()),
                    states.fastRounds(),
                    number(states.slowP50()),
                    states.slowRounds()));
      }
    }
    return lines;
  }

  static String number(double value) {
    return String.format(ROOT, value < 1_000 ? "%.1f" : "%,.0f", value);
  }
}
