package io.verbena.bench.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.goal.Row;
import io.verbena.bench.goal.Scoreboard;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import picocli.CommandLine;

/** Calls over shared memory while others need the processors, in two JVMs. */
@EnabledIfSystemProperty(named = "verbena.long", matches = "true")
final class BusyHostTest {
  /** A bound that a crowded machine keeps; two ends that spin make a tenth of TCP's calls. */
  private static final double ENOUGH = 0.3;

  @Test
  void keepsSharedMemoryAsFastAsTcp() throws Exception {
    TargetsCommand command = new TargetsCommand();
    var _ = new CommandLine(command).parseArgs("--busy", "--duration", "0.5", "--rounds", "3");
    Scoreboard board =
        new Scoreboard(new PrintWriter(System.out, true, UTF_8), Duration.ofMinutes(5));
    command.busy(board);
    List<Row> rates = board.rows().stream().filter(Row::moreIsBetter).toList();
    assertThat(rates).hasSize(3).allMatch(row -> row.isMeasured() && row.ratio() > ENOUGH);
  }
}
