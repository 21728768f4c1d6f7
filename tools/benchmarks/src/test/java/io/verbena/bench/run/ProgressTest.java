package io.verbena.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.report.Result;
import io.verbena.bench.report.Round;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final Load LOAD = Load.of(Kind.CALL, 64, 1, Duration.ofSeconds(1));

  private static String shown(boolean watched) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Progress progress = new Progress(new PrintStream(out, true, StandardCharsets.UTF_8), watched);
    Round round = Round.told(12.5, 20, 30, 40, 1_000, 80_000, 0.01);
    progress.show("verbena tcp", LOAD, "round 1 of 2", 80_000);
    progress.table(
        List.of(new Result("verbena tcp", "tcp", LOAD, List.of(round), new Histogram(3))));
    progress.clear();
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void showsWhatHasBeenMeasuredAndTakesItAwayAgain() {
    assertThat(shown(true))
        .contains("round 1 of 2: 80,000 calls/s", "contestant", "12.5")
        .endsWith("\r\033[2A\033[J");
  }

  @Test
  void showsNothingWhereNobodyLooks() {
    assertThat(shown(false)).isEmpty();
  }
}
