package io.verbena.bench.report;

import static io.verbena.bench.report.Reports.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ReportTest {
  private static final Report REPORT =
      Reports.of(
          result("verbena tcp", 64, 60, 1, 5),
          result("verbena rdma", 64, 20, 2, 5),
          result("verbena tcp", 4096, 80, 3, 5),
          result("verbena rdma", 4096, 120, 4, 5));

  @Test
  void showsEveryContestantAndFigureInItsTables() {
    String text = Tables.of(REPORT);
    assertThat(text)
        .contains("verbena tcp", "verbena rdma", "64 B x1", "4 KiB x1", "p99.9", "whole round trip")
        .contains("2.00 + 0.00") // us of CPU
        .contains("100 + 0") // bytes allocated
        .contains("not here: verbena rdma: no <verbs> device");
  }

  @Test
  void comesBackFromItsFileAsItWas(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("report.json");
    Json.write(REPORT, file);
    assertThat(Json.read(file)).isEqualTo(REPORT);
  }

  @Test
  void refusesAFileThatIsNoReport(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("other.json"), "{\"a\": 1}");
    assertThatThrownBy(() -> Json.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("other.json");
  }

  @Test
  void isOnePageThatNeedsNothingElse() {
    String page = Html.of(REPORT);
    assertThat(page)
        .contains("<h2>Throughput by message size</h2>")
        .contains("<h2>RDMA against TCP</h2>")
        .contains("<h2>Latency: call 64 B x1, async/nonblocking</h2>")
        .contains("./verbena bench local --rivals", "Kernel", "Locked memory", "JVM", "0.1.0")
        .contains("why &lt;not&gt;");
    String links = page.replace("http://www.w3.org/", "");
    assertThat(links)
        .as("what it would fetch")
        .doesNotContain("http", "<script", "src=", "@import");
  }

  @Test
  void hasPlotsThatAreWellFormedAndDrawALineForEachContestant() throws Exception {
    var plots = Pattern.compile("<svg.*?</svg>", Pattern.DOTALL).matcher(Html.of(REPORT));
    int found = 0;
    while (plots.find()) {
      found++;
      var svg =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(plots.group())));
      assertThat(svg.getDocumentElement().getAttribute("viewBox")).isNotEmpty();
      assertThat(svg.getElementsByTagName("path").getLength()).isGreaterThan(2);
    }
    assertThat(found).as("throughput, latency, ratio, and percentiles of two sizes").isEqualTo(5);
  }

  @Test
  void saysWhereOnePathOvertakesTheOther() {
    assertThat(Crossover.words(new TreeMap<>(Map.of(64, 2.0, 4096, 0.5))))
        .contains("about 512 bytes");
    assertThat(Crossover.words(new TreeMap<>(Map.of(64, 2.0, 4096, 1.5))))
        .contains("RDMA is better at every size");
  }

  @Test
  void isALogForTheToolsOfHdrHistogram(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("report.hlog");
    HistogramLog.write(REPORT, file);
    try (var reader = new org.HdrHistogram.HistogramLogReader(file.toFile())) {
      var first = reader.nextIntervalHistogram();
      assertThat(first.getTag()).isEqualTo("verbena-tcp/call-64-B-x1-async/nonblocking");
      assertThat(((org.HdrHistogram.Histogram) first).getTotalCount()).isEqualTo(5_000);
    }
  }
}
