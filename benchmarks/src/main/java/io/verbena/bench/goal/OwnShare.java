package io.verbena.bench.goal;

import com.google.gson.Gson;
import io.verbena.bench.jmh.RdmaCallPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The target for what of a call over RDMA is Verbena's own work. */
public final class OwnShare {
  private static final String NAME = "64 B call over RDMA, own CPU a side";
  private static final double NANOS = 300;

  /** What JMH writes of each benchmark, as far as it is wanted. */
  private record Result(String benchmark, Metric primaryMetric) {}

  private record Metric(double score) {}

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

  /**
   * Has JMH measure in a process of its own: where it reads the fields of its threads, the JDK
   * warns, between the rows of the table, unless a flag says that it may; rivals run without flags.
   */
  private static Map<String, Double> scores() throws IOException, InterruptedException {
    Path told = Files.createTempFile("verbena-bench", ".json");
    try {
      Process jmh =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--sun-misc-unsafe-memory-access=allow",
                  "-cp",
                  System.getProperty("java.class.path"),
                  org.openjdk.jmh.Main.class.getName(),
                  RdmaCallPath.class.getName(),
                  "-f=1",
                  "-v=SILENT",
                  "-rf=json",
                  "-rff=" + told)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD) // empty lines
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try {
        jmh.waitFor();
      } finally {
        jmh.destroy();
      }
      return scores(Files.readString(told));
    } finally {
      Files.delete(told);
    }
  }

  /** Returns each score by its method's name; none where JMH failed, and wrote nothing. */
  private static Map<String, Double> scores(String told) {
    Map<String, Double> nanos = new HashMap<>();
    Result[] results = new Gson().fromJson(told, Result[].class);
    for (Result one : results == null ? new Result[0] : results) {
      String name = one.benchmark;
      nanos.put(name.substring(name.lastIndexOf('.') + 1), one.primaryMetric.score);
    }
    return nanos;
  }
}
