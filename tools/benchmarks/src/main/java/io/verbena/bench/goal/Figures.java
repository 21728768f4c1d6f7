package io.verbena.bench.goal;

import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import java.util.List;

/** Results of one load, by contestant. */
record Figures(List<Result> results) {
  boolean has(String contestant) {
    return results.stream().anyMatch(result -> result.contestant().equals(contestant));
  }

  /** Returns the median over the rounds of a contestant's median latency, in microseconds. */
  double p50(String contestant) {
    return of(contestant).median(Round::p50);
  }

  /** Returns the median over the rounds of a contestant's calls each second. */
  double rate(String contestant) {
    return of(contestant).median(Round::callsPerSecond);
  }

  /** Returns the median over the rounds of both ends' processor time for a call, in us. */
  double cpu(String contestant) {
    return of(contestant).median(Round::cpuMicros);
  }

  Result of(String contestant) {
    return results.stream()
        .filter(result -> result.contestant().equals(contestant))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(contestant + " did not take part"));
  }
}
