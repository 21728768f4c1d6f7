package io.verbena.bench.goal;

import io.verbena.bench.jmh.RdmaCallPath;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The target for what of a call over RDMA is Verbena's own work. */
public final class OwnShare {
  private static final String NAME = "64 B call over RDMA, own CPU a side";
  private static final double NANOS = 300;

  private OwnShare() {}

  /** Tells it by {@link RdmaCallPath}, which runs in a JVM of its own. */
  public static void measure(Scoreboard board) throws InterruptedException {
    board.section(
        NAME,
        () -> {
          Map<String, Double> nanos = scores();
          Double call = nanos.get("call");
          Double verbs = nanos.get("verbs");
          if (call == null || verbs == null) {
            throw new IllegalStateException("the benchmark of a call's path failed");
          }
          board.tell(Row.atMost(NAME, Beside.of((call - verbs) / 2, "the target", NANOS), "ns", 1));
        });
  }

  private static Map<String, Double> scores() throws IOException {
    Options options =
        new OptionsBuilder()
            .include(RdmaCallPath.class.getName())
            .forks(1)
            .verbosity(VerboseMode.SILENT)
            .build();
    Map<String, Double> nanos = new HashMap<>();
    try {
      for (RunResult result : new Runner(options).run()) {
        Result<?> score = result.getPrimaryResult();
        nanos.put(score.getLabel(), score.getScore());
      }
    } catch (RunnerException e) {
      throw new IOException(e);
    }
    return nanos;
  }
}
