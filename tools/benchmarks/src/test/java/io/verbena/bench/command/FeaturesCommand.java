package io.verbena.bench.command;

import io.verbena.bench.features.Feature;
import io.verbena.bench.features.FeatureCosts;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import jdk.jfr.Recording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench features}: what each feature around calls costs a call. */
@Command(
    name = "features",
    description = {
      "Measures what metadata, interceptors, channels, streams and observers cost a call, both ends"
          + " together, beside a call without any.",
      "In memory, in one process: one thread steps both ends of lone async calls to a nonBlocking"
          + " handler. So a time is of work alone, and no link or wait is in it. Features have"
          + " their rounds by turns; times are medians, heap is the least of all rounds."
    })
public final class FeaturesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--warmup",
      defaultValue = "150",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "rounds of 2,000 calls of each that do not count; default: ${DEFAULT-VALUE}")
  private int warmup = 150;

  @Option(
      names = "--rounds",
      defaultValue = "100",
      paramLabel = "N",
      converter = Numbers.Count.class,
      description = "rounds that count; default: ${DEFAULT-VALUE}")
  private int rounds = 100;

  @Option(
      names = "--recorded",
      description =
          "JDK Flight Recorder records calls of 10 ms and more meanwhile: compare with a run without")
  private boolean recorded;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try (Recording recording = new Recording()) {
      if (recorded) {
        recording.enable("verbena.ClientCall").withThreshold(Duration.ofMillis(10));
        recording.enable("verbena.ServerCall").withThreshold(Duration.ofMillis(10));
        recording.start();
      }
      out.println(FeatureCosts.measure(Feature.all(), warmup, rounds));
    }
    out.flush();
    return 0;
  }
}
