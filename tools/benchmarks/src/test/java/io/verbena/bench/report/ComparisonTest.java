package io.verbena.bench.report;

import static io.verbena.bench.report.Reports.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.report.Comparison.Row;
import io.verbena.bench.report.Comparison.Verdict;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComparisonTest {
  private static List<Verdict> verdicts(double before, double after, int rounds, long seed) {
    return Comparison.of(
            Reports.of(result("verbena tcp", 64, before, seed, rounds)),
            Reports.of(result("verbena tcp", 64, after, seed + 1_000, rounds)))
        .stream()
        .map(Row::verdict)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void callsARerunUnchanged(long seed) {
    assertThat(verdicts(50, 50, 5, seed)).containsOnly(Verdict.UNCHANGED);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void findsASlowdown(long seed) {
    assertThat(verdicts(50, 65, 5, seed)).containsOnly(Verdict.WORSE);
  }

  @Test
  void findsWhatGotFaster() {
    assertThat(verdicts(50, 35, 5, 9)).containsOnly(Verdict.BETTER);
  }

  @Test
  void saysThatTooFewRoundsTellNothing() {
    assertThat(verdicts(50, 500, 3, 10)).containsOnly(Verdict.UNKNOWN);
  }

  private static Result told(double... p50s) {
    Load load = Load.of(Kind.CALL, 64, 1, Duration.ofSeconds(1));
    List<Round> rounds =
        Arrays.stream(p50s).mapToObj(p50 -> Round.told(p50, 0, 0, 0, 1_000, 0, 0)).toList();
    return new Result("verbena tcp", "tcp", load, rounds, new Histogram(3));
  }

  @Test
  void countsTheChanceOfFewRoundsExactly() {
    // 4 of the 70 ways to draw four of eight lie as far off; an approximation says 0.043.
    assertThat(
            Comparison.of(
                Reports.of(told(100, 101, 102, 140)), Reports.of(told(139, 150, 151, 152))))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.chance()).isCloseTo(4.0 / 70, within(1e-9));
              assertThat(row.verdict()).isEqualTo(Verdict.UNCHANGED);
            });
    assertThat(
            Comparison.of(
                Reports.of(told(100, 101, 102, 103, 104)),
                Reports.of(told(150, 151, 152, 153, 154))))
        .singleElement()
        .satisfies(row -> assertThat(row.chance()).isCloseTo(2.0 / 252, within(1e-9)));
    assertThat(Comparison.of(Reports.of(told(7, 7, 7, 7)), Reports.of(told(7, 7, 7, 7))))
        .singleElement()
        .satisfies(row -> assertThat(row.chance()).isEqualTo(1));
  }

  @Test
  void takesManyRounds() {
    assertThat(verdicts(50, 65, 60, 11)).containsOnly(Verdict.WORSE);
  }

  @Test
  void tellsWhatOnlyOneReportHas() {
    Report both =
        Reports.of(result("verbena tcp", 64, 1, 1, 5), result("verbena rdma", 64, 1, 1, 5));
    Report one = Reports.of(result("verbena tcp", 64, 1, 1, 5));
    assertThat(Comparison.missing(both, one))
        .containsExactly("verbena rdma, call 64 B x1, async/nonblocking: no <verbs> device");
    assertThat(Comparison.missing(one, both)).isEmpty();
  }

  @Test
  void leavesOutWhatOnlyOneReportHas() {
    assertThat(
            Comparison.of(
                Reports.of(result("verbena tcp", 64, 1, 1, 5)),
                Reports.of(result("verbena tcp", 128, 1, 1, 5))))
        .isEmpty();
  }
}
