package io.verbena.bench.report;

import static java.util.Locale.ROOT;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.verbena.bench.report.Plots.Plot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Plots with a bar for each contestant: the median of its rounds, and a line from the least to the
 * greatest.
 */
final class Bars {
  private static final int WIDTH = 560;
  private static final int ROW = 24;
  private static final int NAMES = 150;
  private static final int LONGEST = 290;

  private Bars() {}

  /**
   * Returns the rates and the processor times of each load; none if sizes differ, which have lines
   * instead.
   */
  static List<Plot> of(Report report) {
    List<Plot> plots = new ArrayList<>();
    if (Plots.sizes(report.results()) > 1) {
      return plots;
    }
    report.results().stream()
        .collect(groupingBy(one -> Tables.words(one.load()), LinkedHashMap::new, toList()))
        .forEach(
            (load, results) -> {
              add(
                  plots,
                  "Rate: " + load,
                  "Calls a second. More is better.",
                  results,
                  Round::callsPerSecond);
              add(
                  plots,
                  "CPU: " + load,
                  "Processor time of both sides for each call, in microseconds. Less is better.",
                  results,
                  Round::cpuMicros);
            });
    return plots;
  }

  private static void add(
      List<Plot> plots,
      String title,
      String words,
      List<Result> all,
      ToDoubleFunction<Round> figure) {
    List<Result> results =
        all.stream().filter(result -> result.median(figure) > 0).toList(); // 0 means unknown
    if (!results.isEmpty()) {
      String rounds = " Bar: median of the rounds. Line: from the least round to the greatest.";
      plots.add(new Plot(title, words + rounds, svg(results, figure)));
    }
  }

  private static String svg(List<Result> results, ToDoubleFunction<Round> figure) {
    double most = results.stream().mapToDouble(result -> result.most(figure)).max().orElse(1);
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" font-size=\"12\">%n"
            .formatted(WIDTH, ROW * results.size()));
    for (int i = 0; i < results.size(); i++) {
      Result result = results.get(i);
      int top = ROW * i;
      double median = result.median(figure);
      double end = NAMES + LONGEST * median / most;
      double least = NAMES + LONGEST * result.least(figure) / most;
      double greatest = NAMES + LONGEST * result.most(figure) / most;
      int middle = top + ROW / 2;
      svg.append(text(0, top + 16, Plots.name(result)))
          .append(rectangle(NAMES, top + 5, end - NAMES, ROW - 10, Plots.color(i)))
          .append(
              String.format(
                  ROOT,
                  "<path d=\"M%.1f %d H%.1f M%.1f %d v8 M%.1f %d v8\" stroke=\"#1c1c28\" fill=\"none\"/>%n",
                  least,
                  middle,
                  greatest,
                  least,
                  middle - 4,
                  greatest,
                  middle - 4))
          .append(text(Math.max(end, greatest) + 8, top + 16, Summary.number(median)));
    }
    return svg.append("</svg>").toString();
  }

  private static String rectangle(double x, double y, double width, double height, String color) {
    return String.format(
        ROOT,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
        x,
        y,
        Math.max(0.5, width),
        height,
        color);
  }

  private static String text(double x, double y, String words) {
    return String.format(
        ROOT, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#1c1c28\">%s</text>%n", x, y, Html.safe(words));
  }
}
