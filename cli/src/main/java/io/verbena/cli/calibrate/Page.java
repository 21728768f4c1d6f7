package io.verbena.cli.calibrate;

import io.verbena.core.bulk.cost.Costs;
import io.verbena.core.bulk.cost.CutOffs;
import io.verbena.core.link.PinningCosts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/** Readings as one page that needs nothing else: a plot of each path's curves. */
final class Page {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 460;

  private Page() {}

  static String of(List<Reading> readings) throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>verbena calibrate</title>
            <style>body { font: 16px sans-serif; margin: 1em } svg { max-width: 100%; height: auto }</style>
            </head><body>
            <h1>verbena calibrate</h1>
            """);
    for (Reading reading : readings) {
      String absent = reading.absent();
      page.append("<h2>").append(escaped(reading.path())).append("</h2>\n");
      if (absent != null) {
        page.append("<p>").append(escaped(absent)).append("</p>\n");
      } else {
        page.append("<p>beside the message from ").append(reading.cutOffs().beside());
        page.append(" bytes</p>\n").append(plot(reading)).append('\n');
      }
    }
    return page.append("</body></html>\n").toString();
  }

  private static String plot(Reading reading) throws IOException {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("A value of a call")
            .xAxisTitle("bytes")
            .yAxisTitle("us")
            .build();
    chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNW);
    Costs costs = reading.costs();
    curve(chart, "in message", bytes -> CutOffs.inMessageNanos(costs, bytes));
    curve(chart, "beside, pooled", bytes -> CutOffs.pooledNanos(costs, bytes));
    PinningCosts pinning = costs.pinning();
    curve(chart, "beside, in place", bytes -> CutOffs.inPlaceNanos(costs, pinning.warm(), bytes));
    if (!pinning.equals(PinningCosts.NONE)) {
      curve(
          chart,
          "beside, in place, cold",
          bytes -> CutOffs.inPlaceNanos(costs, pinning.cold(), bytes));
    }
    trials(chart, reading.beside(), "a call, in message", "a call, beside");
    trials(chart, reading.inPlace(), "a segment, pooled", "a segment, in place");
    ByteArrayOutputStream svg = new ByteArrayOutputStream();
    VectorGraphicsEncoder.saveVectorGraphic(
        chart, svg, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
    String whole = svg.toString(StandardCharsets.UTF_8);
    String own = reading.path().replaceAll("\\W", "") + "-"; // ids must differ within the page
    return whole
        .substring(whole.indexOf("<svg"))
        .replace("id=\"", "id=\"" + own)
        .replace("url(#", "url(#" + own)
        .replace("xlink:href=\"#", "xlink:href=\"#" + own);
  }

  private static void curve(XYChart chart, String name, ToDoubleFunction<Integer> nanos) {
    double[] bytes = Reading.LENGTHS.stream().mapToDouble(Integer::doubleValue).toArray();
    // A logarithmic axis has no 0.
    double[] micros =
        Reading.LENGTHS.stream()
            .mapToDouble(n -> Math.max(1e-3, nanos.applyAsDouble(n) / 1e3))
            .toArray();
    chart.addSeries(name, bytes, micros);
  }

  private static void trials(XYChart chart, List<Reading.Trial> trials, String below, String from) {
    if (!trials.isEmpty()) {
      double[] bytes = trials.stream().mapToDouble(Reading.Trial::bytes).toArray();
      chart.addSeries(below, bytes, micros(trials, Reading.Trial::belowNanos));
      chart.addSeries(from, bytes, micros(trials, Reading.Trial::fromNanos));
    }
  }

  private static double[] micros(
      List<Reading.Trial> trials, ToDoubleFunction<Reading.Trial> nanos) {
    return trials.stream().mapToDouble(nanos).map(n -> n / 1e3).toArray();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
