package io.verbena.bench.report;

import static java.util.Locale.ROOT;

import io.verbena.bench.report.Plots.Plot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.XYChart;

/** Compares RDMA with TCP for each size, and finds the sizes from which RDMA is better. */
final class Crossover {
  private static final String RDMA = "verbena rdma";
  private static final String TCP = "verbena tcp";

  private Crossover() {}

  static List<Plot> plots(Report report) {
    Map<Integer, Double> rate = ratios(report, Round::gigabytesPerSecond);
    Map<Integer, Double> speed = ratios(report, round -> 1 / Math.max(1e-9, round.p50()));
    if (rate.isEmpty()) {
      return List.of();
    }
    XYChart chart = Plots.chart("bytes of a message", "RDMA / TCP");
    chart.getStyler().setXAxisLogarithmic(true);
    add(chart, "throughput", rate);
    add(chart, "speed (1 / p50)", speed);
    add(chart, "equal", equal(rate));
    return List.of(
        new Plot(
            "RDMA against TCP",
            "Above 1, RDMA is better. Throughput: " + words(rate) + " Speed: " + words(speed),
            Plots.svg(chart)));
  }

  private static void add(XYChart chart, String name, Map<Integer, Double> ratios) {
    Plots.add(
        chart,
        name,
        ratios.keySet().stream().map(Integer::doubleValue).toList(),
        new ArrayList<>(ratios.values()),
        !name.equals("equal"));
  }

  private static Map<Integer, Double> equal(Map<Integer, Double> ratios) {
    Map<Integer, Double> ones = new TreeMap<>();
    ratios.keySet().forEach(size -> ones.put(size, 1.0));
    return ones;
  }

  private static Map<Integer, Double> ratios(Report report, ToDoubleFunction<Round> figure) {
    Map<Integer, Double> ratios = new TreeMap<>();
    for (Result rdma : report.results()) {
      for (Result tcp : report.results()) {
        if (rdma.contestant().equals(RDMA)
            && tcp.contestant().equals(TCP)
            && rdma.load().equals(tcp.load())) {
          ratios.put(rdma.load().size(), rdma.median(figure) / tcp.median(figure));
        }
      }
    }
    return ratios;
  }

  /** Describes the sizes at which the ratio passes 1, interpolated on a logarithmic scale. */
  static String words(Map<Integer, Double> ratios) {
    List<String> crossings = new ArrayList<>();
    int lastSize = 0;
    double last = 0;
    for (Map.Entry<Integer, Double> entry : ratios.entrySet()) {
      double ratio = entry.getValue();
      if (last != 0 && last >= 1 != ratio >= 1) {
        double part = Math.log(last) / (Math.log(last) - Math.log(ratio));
        double size = lastSize * Math.pow((double) entry.getKey() / lastSize, part);
        crossings.add("at about " + about(size));
      }
      lastSize = entry.getKey();
      last = ratio;
    }
    if (crossings.isEmpty()) {
      return last >= 1 ? "RDMA is better at every size." : "TCP is better at every size.";
    }
    return "they cross " + String.join(", ", crossings) + ".";
  }

  /** Returns a rounded size, because an interpolated size is not exact. */
  private static String about(double size) {
    String unit = size < 1 << 10 ? "bytes" : size < 1 << 20 ? "KiB" : "MiB";
    double value = size / (size < 1 << 10 ? 1 : size < 1 << 20 ? 1 << 10 : 1 << 20);
    return String.format(ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, unit);
  }
}
