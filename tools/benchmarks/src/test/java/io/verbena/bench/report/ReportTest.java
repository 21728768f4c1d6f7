package io.verbena.bench.report;

import static io.verbena.bench.report.Reports.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.bench.load.Handler;
import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.load.Mode;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
        .contains("not available: verbena rdma: no <verbs> device");
  }

  @Test
  void comesBackFromItsFileAsItWas(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("report.json");
    Json.write(REPORT, file);
    assertThat(Json.read(file)).isEqualTo(REPORT);
  }

  @Test
  void tellsTheLongestCallOfAllRounds() {
    Load load = Load.of(Kind.CALL, 64, 1, Duration.ofSeconds(1));
    List<Round> rounds =
        Stream.of(10, 20_000, 30).map(max -> Round.told(5, 6, 7, max, 1_000, 9_000, 0.1)).toList();
    Result result = new Result("perftest", "rdma", load, rounds, new Histogram(3));
    assertThat(Tables.speeds(List.of(result))).contains("20,000");
  }

  @Test
  void tellsRatesAndValidationApart() {
    assertThat(Tables.words(paced(0.25, false))).contains("at 0.25/s");
    assertThat(Tables.words(paced(12_000, false))).contains("at 12000/s").doesNotContain("valid");
    assertThat(Tables.words(paced(12_000, true))).contains("validated");
  }

  private static Load paced(double rate, boolean validate) {
    return new Load(
        Kind.CALL,
        64,
        1,
        1,
        Mode.ASYNC,
        Handler.NONBLOCKING,
        rate,
        Duration.ofSeconds(1),
        0,
        Memory.WARM,
        validate,
        false);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'results': [{'contestant': 'x'}]}",
        "{'results': [null]}",
        "{'results': [{'contestant': 'x', 'path': 'y', 'rounds': [], 'load': {'kind': 'NEW'}}]}",
        "[]",
        "no json",
        ""
      })
  void refusesAFileThatIsDamagedOrOfAnotherVersion(String text, @TempDir Path folder)
      throws IOException {
    Path file = Files.writeString(folder.resolve("other.json"), text.replace('\'', '"'));
    assertThatThrownBy(() -> Json.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("other.json")
        .hasMessageContaining("not a report of 'bench --json'");
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
        .contains("./verbena bench local --rivals", "Kernel", "Locked memory", "JVM", "0.1.0")
        .contains("why &lt;not&gt;");
    String links = page.replace("http://www.w3.org/", "");
    assertThat(links)
        .as("what it would fetch")
        .doesNotContain("http", "<script", "src=", "@import");
  }

  /** Prints the page. */
  public static void main(String[] arguments) {
    System.out.println(Html.of(REPORT));
  }

  @Test
  void isWrittenWithoutPlotsWhereTheJdkCannotDrawText() throws Exception {
    JavaProcess.Ended ended =
        JavaProcess.of(ReportTest.class)
            .options("--limit-modules=java.logging,java.management,java.xml") // no java.desktop
            .run(Duration.ofMinutes(1));
    assertThat(ended.out())
        .contains("No plots of latency", "fontconfig", "<h2>Figures</h2>")
        .endsWith("</html>\n\n");
    assertThat(ended.status()).isZero();
  }

  @Test
  void hasPlotsThatAreWellFormedAndDrawALineForEachContestant() throws Exception {
    assumeTrue(Html.whyNoText() == null, "this JDK lacks fonts, or the libraries for them");
    String page = Html.of(REPORT);
    assertThat(page)
        .contains("<h2>Throughput by message size</h2>")
        .contains("<h2>RDMA against TCP</h2>")
        .contains("<h2>Latency: call 64 B x1, async/nonblocking</h2>");
    var plots = Pattern.compile("<svg.*?</svg>", Pattern.DOTALL).matcher(page);
    int found = 0;
    while (plots.find()) {
      found++;
      var svg =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(plots.group())));
      assertThat(svg.getDocumentElement().getAttribute("viewBox")).isNotEmpty();
      assertThat(svg.getElementsByTagName("path").getLength()).isGreaterThan(1);
    }
    assertThat(found)
        .as("throughput, latency, CPU, ratio, and percentiles of two sizes")
        .isEqualTo(6);
  }

  private static Result rounds(String contestant, double... p50s) {
    Load load = Load.of(Kind.CALL, 64, 1, Duration.ofSeconds(1));
    List<Round> rounds =
        Arrays.stream(p50s)
            .mapToObj(p50 -> Round.told(p50, 3 * p50, 4 * p50, 5 * p50, 1_000, 1e6 / p50, 0.1))
            .toList();
    return new Result(contestant, "shm", load, rounds, new Histogram(3));
  }

  @Test
  void marksAContestantWithTwoStatesEverywhere() {
    Report report =
        Reports.of(rounds("steady", 60, 61, 62, 63, 64), rounds("two", 0.7, 957, 0.7, 958, 0.8));
    String said =
        "two has two states in call 64 B x1, async/nonblocking: p50 of 0.7 us in 3 of its rounds, of 957.5 us in 2.";
    assertThat(Tables.of(report))
        .contains("two *")
        .contains("* " + said)
        .doesNotContain("steady *");
    assertThat(Html.of(report)).contains("two *").contains(said).doesNotContain("steady *");
  }

  @Test
  void aLoadOfOneSizeHasBarsOfItsRateAndItsProcessorTime() {
    Report report = Reports.of(result("verbena tcp", 64, 60, 1, 5), result("netty", 64, 50, 2, 5));
    assertThat(Html.of(report))
        .contains("<h2>Rate: call 64 B x1, async/nonblocking</h2>")
        .contains("<h2>CPU: call 64 B x1, async/nonblocking</h2>")
        .contains(">2.0</text>"); // us of CPU
  }

  @Test
  void slowerAndSlowerRoundsAreOneState() {
    assertThat(rounds("drifting", 10, 15, 25, 40, 70).states()).isNull();
  }

  @Test
  void sumsUpWhoLeadsAndWhetherThatIsBeyondTheRounds() {
    assertThat(Summary.of(Reports.of(rounds("a", 10, 11, 12), rounds("b", 20, 22, 24))))
        .singleElement()
        .asString()
        .contains("lowest p50 a, 11.0 us (2.00 times better than b)")
        .contains("most calls a, 90,909 /s (2.00 times better than b)")
        .contains("least CPU unknown");
    assertThat(Summary.of(Reports.of(rounds("a", 10, 11, 12), rounds("b", 11, 12, 13))))
        .singleElement()
        .asString()
        .contains("lowest p50 a, 11.0 us (its rounds overlap those of b: no clear lead)");
  }

  @Test
  void theLatencyAxisIsLabelledByPercentiles() {
    Map.of(50.0, "p50", 90.0, "p90", 99.0, "p99", 99.9, "p99.9", 99.99, "p99.99")
        .forEach(
            (percentile, label) ->
                assertThat(Plots.percentileAt(Plots.placeOf(percentile))).isEqualTo(label));
    assertThat(Plots.percentileAt(Plots.placeOf(95))).as("between").isEqualTo("p95");
  }

  @Test
  void saysWhereOnePathOvertakesTheOther() {
    assertThat(Crossover.words(new TreeMap<>(Map.of(64, 2.0, 4096, 0.5))))
        .contains("about 512 bytes");
    assertThat(Crossover.words(new TreeMap<>(Map.of(1 << 16, 2.0, 1 << 18, 0.5, 1 << 19, 1.5))))
        .isEqualTo("they cross at about 128 KiB, at about 396 KiB.");
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
      assertThat(first.getStartTimeStamp())
          .isEqualTo(Instant.parse(REPORT.started()).toEpochMilli());
      assertThat(first.getEndTimeStamp() - first.getStartTimeStamp())
          .as("5 rounds of 1,000 calls of some 60 us, in milliseconds")
          .isBetween(250L, 350L);
    }
  }
}
