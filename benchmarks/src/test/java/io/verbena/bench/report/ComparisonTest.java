package io.verbena.bench.report;

import static io.verbena.bench.report.Reports.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.report.Comparison.Row;
import io.verbena.bench.report.Comparison.Verdict;
import java.util.List;
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

  @Test
  void leavesOutWhatOnlyOneReportHas() {
    assertThat(
            Comparison.of(
                Reports.of(result("verbena tcp", 64, 1, 1, 5)),
                Reports.of(result("verbena tcp", 128, 1, 1, 5))))
        .isEmpty();
  }
}
