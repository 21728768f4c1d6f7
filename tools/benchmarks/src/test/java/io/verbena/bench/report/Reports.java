package io.verbena.bench.report;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Turn;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;

/** Reports with figures that the test knows. */
final class Reports {
  private static final long CALLS = 1_000;

  private Reports() {}

  static Report of(Result... results) {
    return new Report(
        "2026-11-20T18:00:00Z",
        "./verbena bench local --rivals",
        HostInfo.read(),
        null,
        Map.of("verbena", "0.1.0"),
        Map.of("verbena rdma", "no <verbs> device"),
        List.of(results),
        List.of(),
        "");
  }

  /** A result whose rounds differ by chance from this median latency, by a few hundredths. */
  static Result result(String contestant, int size, double micros, long seed, int rounds) {
    Load load = Load.of(Kind.CALL, size, 1, Duration.ofSeconds(1));
    Random random = new Random(seed);
    Histogram all = new Histogram(3);
    List<Round> taken = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      double factor = 1 + 0.02 * random.nextGaussian();
      Histogram nanos = new Histogram(3);
      for (int call = 0; call < CALLS; call++) {
        nanos.recordValue((long) (micros * 1_000 * factor * (1 + 0.1 * random.nextDouble())));
      }
      all.add(nanos);
      Turn turn = new Turn(nanos, CALLS, CALLS * micros * factor / 1e6, 0);
      taken.add(
          Round.of(
              load, turn, new Usage(CALLS * 2_000, CALLS * 100, CALLS, 0), new Usage(1, 1, 1, 0)));
    }
    return new Result(contestant, "tcp (why <not>)", load, taken, all);
  }
}
