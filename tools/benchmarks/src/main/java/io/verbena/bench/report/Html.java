package io.verbena.bench.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.verbena.bench.usage.HostInfo;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a report as one page that needs no network and no script. */
public final class Html {
  private static final String HEAD =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>verbena bench</title>
      <style>
        body { margin: 0 auto; padding: 1rem; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif;
          color: #1c1c28; background: #fff; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
        h3 { font-size: 1rem; }
        figure { margin: 1.5rem 0; } figcaption { color: #555; font-size: .9rem; }
        svg { width: 100%; max-width: 48rem; height: auto; }
        pre { overflow-x: auto; padding: .75rem; background: #f4f3f8; font-size: .8rem; }
        table { border-collapse: collapse; font-size: .9rem; }
        th, td { padding: .2rem .75rem .2rem 0; text-align: left; vertical-align: top;
          overflow-wrap: anywhere; }
        th { font-weight: 600; white-space: nowrap; }
        .wide { overflow-x: auto; } .wide td { white-space: nowrap; font-variant-numeric: tabular-nums; }
      </style>
      </head>
      <body>
      """;

  private static final int LOAD = 1;

  private final StringBuilder page = new StringBuilder(HEAD);

  private Html() {}

  public static void write(Report report, Path file) throws IOException {
    Files.writeString(file, of(report));
  }

  public static String of(Report report) {
    Html html = new Html();
    html.body(report);
    return html.page.append("</body>\n</html>\n").toString();
  }

  private void body(Report report) {
    line("<h1>verbena bench, %s</h1>", report.started().replace("T", " ").replace("Z", " UTC"));
    line("<p>Contestants took turns under the same load. The command to measure again:</p>");
    line("<pre>%s</pre>", report.command());
    if (!report.failure().isEmpty()) {
      line("<p><strong>The run failed before its end</strong>: %s</p>", report.failure());
    }
    for (String weak : report.weakRivals()) {
      line("<p><strong>Weak rival, so that no claim can rest on this run</strong>: %s</p>", weak);
    }
    page.append("<ul>\n");
    Summary.of(report).forEach(one -> line("<li>%s</li>", one));
    page.append("</ul>\n");
    Summary.ofStates(report.results()).forEach(one -> line("<p><strong>*</strong> %s</p>", one));
    Bars.of(report).forEach(this::plot);
    String noText = whyNoText();
    if (noText != null) {
      line(
          "<p>No plots of latency: this JDK cannot draw text here (%s). Install fonts, fontconfig and"
              + " HarfBuzz: on Debian and Ubuntu, fonts-dejavu-core fontconfig libharfbuzz0b.</p>",
          noText);
    }
    for (Plots.Plot plot : noText == null ? Plots.of(report) : List.<Plots.Plot>of()) {
      plot(plot);
    }
    line("<h2>Figures</h2>");
    figures(Tables.ABOUT_SPEEDS, Tables.speedCells(report.results()));
    figures(Tables.ABOUT_COSTS, Tables.costCells(report.results()));
    report.absent().forEach((name, why) -> line("<p>Not available: %s: %s</p>", name, why));
    line("<h2>Environment</h2>");
    host("Client", report.client());
    host("Server", report.server());
    table("Versions", report.versions());
  }

  private void plot(Plots.Plot plot) {
    line("<h2>%s</h2>", plot.title());
    page.append("<figure>\n").append(plot.svg()).append('\n');
    line("<figcaption>%s</figcaption>", plot.words());
    page.append("</figure>\n");
  }

  /**
   * Returns why this JDK cannot draw text, or null. A JDK without a window system may lack the
   * fonts, or libraries for them, and says so by errors of many kinds.
   */
  @SuppressWarnings("CatchingUnchecked")
  static @Nullable String whyNoText() {
    try {
      new Font(Font.SANS_SERIF, Font.PLAIN, 12)
          .getLineMetrics("p50", new FontRenderContext(null, false, false));
      return null;
    } catch (RuntimeException | Error e) {
      return e.toString();
    }
  }

  /** Adds a table for each load, so that contestants and figures fit on a narrow screen. */
  private void figures(String about, List<List<String>> cells) {
    line("<p>%s</p>", about);
    Map<String, List<List<String>>> byLoad =
        cells.stream()
            .skip(1)
            .collect(groupingBy(row -> row.get(LOAD), LinkedHashMap::new, toList()));
    byLoad.forEach(
        (load, rows) -> {
          line("<h3>%s</h3>", load);
          page.append("<div class=\"wide\"><table>\n");
          row("th", cells.getFirst());
          rows.forEach(row -> row("td", row));
          page.append("</table></div>\n");
        });
  }

  private void row(String tag, List<String> cells) {
    page.append("<tr>");
    for (int i = 0; i < cells.size(); i++) {
      if (i != LOAD) {
        line("<%1$s>%2$s</%1$s>", tag, cells.get(i));
      }
    }
    page.append("</tr>\n");
  }

  private void host(String side, @Nullable HostInfo host) {
    if (host == null) {
      return;
    }
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("Kernel", host.kernel());
    rows.put("Processor", host.processors() + " x " + host.processor());
    rows.put("Memory", Tables.bytes(host.memoryBytes() >> 20 << 20));
    rows.put("JVM", host.jvm() + " " + String.join(" ", host.jvmArguments()));
    rows.put("Locked memory", host.memlock());
    rows.put("Verbs devices", host.verbsDevices().isEmpty() ? "none" : list(host.verbsDevices()));
    rows.put("Network", list(host.networkDevices()));
    table(side, rows);
  }

  private static String list(Iterable<String> words) {
    return String.join(", ", words);
  }

  private void table(String title, Map<String, String> rows) {
    line("<h3>%s</h3>", title);
    page.append("<table>\n");
    rows.forEach((name, value) -> line("<tr><th>%s</th><td>%s</td></tr>", name, value));
    page.append("</table>\n");
  }

  private void line(String template, Object... values) {
    Object[] safe = new Object[values.length];
    for (int i = 0; i < values.length; i++) {
      safe[i] = safe(String.valueOf(values[i]));
    }
    page.append(template.formatted(safe)).append('\n');
  }

  static String safe(String words) {
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
