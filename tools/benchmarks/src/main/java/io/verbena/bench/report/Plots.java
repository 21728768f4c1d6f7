package io.verbena.bench.report;

import static java.util.Locale.ROOT;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.verbena.bench.load.Load;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The plots of a report, as SVG elements of a page. */
final class Plots {
  /** Letters are outlines. Tenths of a pixel are exact enough, and halve the text. */
  private static final String LONG_FRACTION = "(\\d\\.\\d)\\d+";

  private static final int WIDTH = 680;
  private static final int HEIGHT = 380;

  /** One for each contestant, dark enough for white ground. */
  private static final String[] COLORS = {
    "#1f6fb4", "#d1601b", "#2c8a3c", "#b8283a", "#7a52ab", "#84594d", "#c0509e", "#5f6b6d",
    "#8a8a12", "#128c9c"
  };

  private static final int BAND_OPACITY = 48;

  /** The percentiles of a round, which the tables have too. */
  private static final Map<Double, ToDoubleFunction<Round>> PERCENTILES = new TreeMap<>();

  static {
    PERCENTILES.put(50.0, Round::p50);
    PERCENTILES.put(90.0, Round::p90);
    PERCENTILES.put(99.0, Round::p99);
    PERCENTILES.put(99.9, Round::p999);
  }

  private static final String BAND =
      "Line: medians of the rounds, as in the table. Band: from the least round to the greatest. Star: a contestant with two states.";

  private Plots() {}

  /** A plot with its explanation. */
  record Plot(String title, String words, String svg) {}

  static List<Plot> of(Report report) {
    List<Plot> plots = new ArrayList<>();
    if (sizes(report.results()) > 1) {
      plots.add(
          bySize(
              report,
              "Throughput by message size",
              "GB/s",
              "Payload, both directions together.",
              Round::gigabytesPerSecond));
      plots.add(
          bySize(
              report,
              "Latency by message size",
              "p50, us",
              "The median of the whole round trip.",
              Round::p50));
      plots.add(
          bySize(
              report,
              "CPU by message size",
              "us for each call",
              "Processor time of both sides.",
              Round::cpuMicros));
      plots.addAll(Crossover.plots(report));
    }
    byLoad(report).forEach((load, results) -> plots.add(percentiles(load, results)));
    return plots;
  }

  private static Map<String, List<Result>> byLoad(Report report) {
    return report.results().stream()
        .collect(groupingBy(result -> Tables.words(result.load()), LinkedHashMap::new, toList()));
  }

  static long sizes(List<Result> results) {
    return results.stream().map(Result::load).mapToInt(Load::size).distinct().count();
  }

  private static Plot percentiles(String load, List<Result> results) {
    XYChart chart = chart("percentile", "us");
    chart.setCustomXAxisTickLabelsFormatter(Plots::percentileAt);
    for (int i = 0; i < results.size(); i++) {
      Result result = results.get(i);
      List<Point> points = new ArrayList<>();
      PERCENTILES.forEach(
          (percentile, figure) -> {
            if (result.median(figure) > 0) { // 0 means unknown
              points.add(Point.of(placeOf(percentile), result, figure));
            }
          });
      add(chart, name(result), i, points);
    }
    decades(chart);
    return new Plot(
        "Latency: " + load,
        "One of 100 calls takes longer than p99. p50 is the median. " + BAND,
        svg(chart));
  }

  /**
   * One place of a contestant's line.
   *
   * @param median of the rounds
   * @param least of the rounds
   * @param most of the rounds
   */
  private record Point(double x, double median, double least, double most) {
    static Point of(double x, Result result, ToDoubleFunction<Round> figure) {
      return new Point(x, result.median(figure), result.least(figure), result.most(figure));
    }
  }

  /** Returns a contestant's name, with a star if it has two states. */
  static String name(Result result) {
    return result.contestant() + (result.states() == null ? "" : " *");
  }

  static String color(int contestant) {
    return COLORS[contestant % COLORS.length];
  }

  /** Adds a line through the medians, and a band between the least round and the greatest. */
  private static void add(XYChart chart, String name, int contestant, List<Point> points) {
    if (points.isEmpty()) {
      return;
    }
    Color color = Color.decode(color(contestant));
    List<Double> x = points.stream().map(Point::x).toList();
    List<Double> edge = new ArrayList<>();
    List<Double> around = new ArrayList<>();
    points.forEach(
        point -> {
          around.add(point.x);
          edge.add(point.least);
        });
    points
        .reversed()
        .forEach(
            point -> {
              around.add(point.x);
              edge.add(point.most);
            });
    XYSeries band = chart.addSeries(name + " (rounds)", around, edge);
    band.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.PolygonArea);
    band.setFillColor(new Color(color.getRed(), color.getGreen(), color.getBlue(), BAND_OPACITY));
    band.setLineColor(new Color(0, true));
    band.setMarker(SeriesMarkers.NONE);
    band.setShowInLegend(false);
    XYSeries line = chart.addSeries(name, x, points.stream().map(Point::median).toList());
    line.setLineStyle(new BasicStroke(2));
    line.setLineColor(color);
    line.setMarker(SeriesMarkers.CIRCLE);
    line.setMarkerColor(color);
  }

  /** Returns the position of a percentile: p50 at 0, p90 at 1, p99 at 2, p99.9 at 3. */
  static double placeOf(double percentile) {
    double nines = Math.log10(100 / (100 - percentile));
    double median = Math.log10(2);
    return nines < 1 ? (nines - median) / (1 - median) : nines;
  }

  /**
   * Returns the label of the percentile at a position of the axis. Labels of ticks must differ.
   * Otherwise the chart searches for other ticks, perhaps for ever.
   */
  static String percentileAt(double place) {
    double median = Math.log10(2);
    double nines = place < 1 ? median + place * (1 - median) : place;
    double percentile = 100 - 100 / Math.pow(10, nines);
    int digits = (int) Math.max(0, Math.ceil(nines - 1e-9) - 2);
    boolean isWhole = Math.abs(place - Math.round(place)) < 1e-6;
    return "p"
        + BigDecimal.valueOf(percentile)
            .setScale(isWhole ? digits : digits + 2, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString();
  }

  private static Plot bySize(
      Report report, String title, String unit, String words, ToDoubleFunction<Round> figure) {
    XYChart chart = chart("bytes of a message", unit);
    chart.getStyler().setXAxisLogarithmic(true);
    Map<String, List<Result>> lines =
        report.results().stream()
            .collect(groupingBy(Result::contestant, LinkedHashMap::new, toList()));
    int contestant = 0;
    for (Map.Entry<String, List<Result>> line : lines.entrySet()) {
      List<Point> points =
          line.getValue().stream()
              .filter(result -> result.median(figure) > 0) // 0 means unknown
              .map(result -> Point.of(result.load().size(), result, figure))
              .toList();
      boolean two = line.getValue().stream().anyMatch(result -> result.states() != null);
      add(chart, line.getKey() + (two ? " *" : ""), contestant++, points);
    }
    decades(chart);
    return new Plot(title, words + " " + BAND, svg(chart));
  }

  static XYChart chart(String x, String y) {
    XYChart chart =
        new XYChartBuilder().width(WIDTH).height(HEIGHT).xAxisTitle(x).yAxisTitle(y).build();
    chart
        .getStyler()
        .setLegendPosition(Styler.LegendPosition.OutsideE)
        .setLegendLayout(
            Styler.LegendLayout.Vertical) // side by side, the last of many were cut off
        .setChartBackgroundColor(Color.WHITE)
        .setLegendBorderColor(Color.WHITE);
    chart.getStyler().setXAxisDecimalPattern("#,###.##").setYAxisDecimalPattern("#,###.####");
    chart.getStyler().setPlotGridLinesColor(new Color(0xdddddd)).setPlotBorderVisible(false);
    return chart;
  }

  static void add(XYChart chart, String name, List<Double> x, List<Double> y, boolean marked) {
    var series = chart.addSeries(name, x, y);
    series.setLineStyle(new BasicStroke(2));
    if (!marked) {
      series.setMarker(SeriesMarkers.NONE);
    }
  }

  /** Extends a logarithmic axis to powers of ten at both ends, so that both have labels. */
  private static void decades(XYChart chart) {
    double least = Double.MAX_VALUE;
    double most = 0;
    for (XYSeries series : chart.getSeriesMap().values()) {
      least = Math.min(least, series.getYMin());
      most = Math.max(most, series.getYMax());
    }
    if (most > 0) {
      chart
          .getStyler()
          .setYAxisLogarithmic(true)
          .setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))))
          .setYAxisMax(Math.pow(10, Math.ceil(Math.log10(most * 1.01))));
    }
  }

  /** Returns a chart as an element that scales with the page and has unique ids. */
  static String svg(XYChart chart) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      VectorGraphicsEncoder.saveVectorGraphic(
          chart, out, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String document = out.toString(StandardCharsets.UTF_8);
    String element = document.substring(document.indexOf("<svg"));
    String own = "p" + Integer.toHexString(element.hashCode()) + "-";
    return element
        .replaceFirst("<svg[^>]*>", head())
        .replaceAll(LONG_FRACTION, "$1")
        .replace("id=\"", "id=\"" + own)
        .replace("url(#", "url(#" + own)
        .replace("xlink:href=\"#", "xlink:href=\"#" + own);
  }

  private static String head() {
    return String.format(
        ROOT,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
            + " viewBox=\"0 0 %d %d\" role=\"img\">",
        WIDTH,
        HEIGHT);
  }
}
