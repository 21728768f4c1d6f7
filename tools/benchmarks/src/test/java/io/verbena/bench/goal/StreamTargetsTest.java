package io.verbena.bench.goal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StreamTargetsTest {
  @Test
  @Timeout(60)
  void areToldOfBothDirectionsAndDistances() throws Exception {
    StringWriter printed = new StringWriter();
    Scoreboard board = new Scoreboard(new PrintWriter(printed), Duration.ofMinutes(1));
    new StreamTargets(board, 500, 1).measure();
    assertThat(board.rows()).hasSize(4).allSatisfy(row -> assertThat(row.figure()).isPositive());
    assertThat(printed.toString()).doesNotContain("not measured").contains("grpc, good rounds");
  }
}
