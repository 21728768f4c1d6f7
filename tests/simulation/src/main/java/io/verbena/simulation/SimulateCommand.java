package io.verbena.simulation;

import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.PlanKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs seeds until a rule is broken, and shrinks the plan of that seed. */
@Command(
    name = "verbena simulate",
    mixinStandardHelpOptions = true,
    description = "Simulates whole clients, servers and networks from seeds, with faults.")
final class SimulateCommand implements Callable<Integer> {
  private static final int TELL_EVERY = 1_000;

  /** A virtual machine needs seconds to warm up. */
  private static final int SEEDS_WORTH_A_MACHINE = 100;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "100",
      description = "the number of seeds to run (default: ${DEFAULT-VALUE})")
  private long seeds;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "the first seed, and the only one unless --seeds is given (default: random)")
  private @Nullable Long first;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "the number of virtual machines (default: one for each processor)")
  private int jobs = Runtime.getRuntime().availableProcessors();

  @ArgGroup(exclusive = true)
  private @Nullable Kinds kinds;

  @Option(
      names = "--shm",
      description =
          "put all processes on one host. Sessions upgrade to shared memory in place of RDMA, and"
              + " faults of devices become faults of its links (Linux)")
  private boolean shm;

  @Option(names = "--twice", description = "run each seed twice, and compare")
  private boolean twice;

  @Option(
      names = "--hashes",
      description = "print each seed with a hash that is equal for equal runs, and nothing else")
  private boolean hashes;

  @Option(names = "--keep-going", description = "continue with the next seed after a broken rule")
  private boolean keepsGoing;

  @Option(
      names = "--shrink",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "the time to search for a smaller plan that breaks the same rule; 0 for no search"
              + " (default: ${DEFAULT-VALUE})")
  private long shrinkSeconds;

  @Option(
      names = "--trace",
      description = "with --seed: print the events of the run, and those of the shrunk run")
  private boolean trace;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli's
  private CommandSpec spec;

  /** The options for other kinds of plans, of which one may be given. */
  private static final class Kinds {
    @Option(
        names = "--regions",
        description =
            "make other plans from seeds, in which ends access exposed memory of their peers")
    private boolean regions;

    @Option(
        names = "--compress",
        description = "make other plans from seeds, in which messages of calls are compressed")
    private boolean compress;

    @Option(
        names = "--adapters",
        description = "make other plans from seeds, in which hosts have the adapters of drivers")
    private boolean adapters;

    @Option(
        names = "--callers",
        description = "make other plans from seeds, in which callers block and step event loops")
    private boolean callers;
  }

  private PlanKind kind() {
    if (kinds == null) {
      return PlanKind.PLAIN;
    }
    if (kinds.regions) {
      return PlanKind.REGIONS;
    }
    if (kinds.compress) {
      return PlanKind.COMPRESSED;
    }
    if (kinds.callers) {
      return PlanKind.CALLERS;
    }
    return kinds.adapters ? PlanKind.ADAPTERS : PlanKind.PLAIN;
  }

  private Seeds of() {
    return new Seeds(kind(), shm);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    // The strands of a run take turns anyway.
    System.setProperty("jdk.virtualThreadScheduler.parallelism", "1");
    if (seeds < 1) {
      throw new ParameterException(spec.commandLine(), "--seeds must be at least 1, not " + seeds);
    }
    PrintWriter out = spec.commandLine().getOut();
    long from = first != null ? first : new SplittableRandom().nextLong(1L << 40);
    boolean counted = spec.commandLine().getParseResult().hasMatchedOption("--seeds");
    long count = first != null && !counted ? 1 : seeds;
    if (hashes) {
      for (long seed = from; seed < from + count; seed++) {
        out.println("%d %016x".formatted(seed, run(seed).hash()));
      }
      return 0;
    }
    out.println("seeds " + from + " to " + (from + count - 1));
    if (twice) {
      return compare(from, count, out) ? 0 : 1;
    }
    if (count == 1) {
      Outcome outcome = Simulation.run(of().plan(from), trace ? out::println : null);
      out.println("calls: " + outcome.calls());
      out.println("faults: " + outcome.coverage());
      return tell(outcome, out) ? 0 : 1;
    }
    return campaign(from, count, out) ? 0 : 1;
  }

  private boolean campaign(long from, long count, PrintWriter out)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Campaign campaign =
        new Campaign(
            from,
            count,
            of(),
            keepsGoing,
            (done, broken) -> progress(done, broken, System.nanoTime() - start));
    campaign.run((int) Math.min(jobs, count / SEEDS_WORTH_A_MACHINE));
    double seconds = (System.nanoTime() - start) / 1e9;
    List<Long> broken = campaign.broken;
    broken.forEach(seed -> out.println("seed " + seed + " broke a rule"));
    out.printf(
        "%,d seeds, %,d not clean, in %.1f s (%.1f a second)%n",
        campaign.done, broken.size(), seconds, campaign.done / seconds);
    out.println("calls: " + campaign.calls);
    if (kind() == PlanKind.REGIONS) {
      out.println("regions: " + campaign.coverage);
    } else {
      CoverageTable.print(campaign.coverage, of(), out);
    }
    if (!broken.isEmpty()) {
      tell(run(broken.getFirst()), out);
    }
    return broken.isEmpty();
  }

  private void progress(long done, long broken, long nanos) {
    if (done % TELL_EVERY == 0) {
      PrintWriter out = spec.commandLine().getOut();
      out.printf("%,d seeds, %,d not clean, %.1f a second%n", done, broken, done * 1e9 / nanos);
      out.flush();
    }
  }

  private Outcome run(long seed) {
    return Simulation.run(of().plan(seed), null);
  }

  private boolean compare(long from, long count, PrintWriter out) {
    for (long seed = from; seed < from + count; seed++) {
      long once = run(seed).hash();
      if (run(seed).hash() != once) {
        out.println("seed " + seed + " ran differently the second time");
        return false;
      }
    }
    out.println("each seed ran twice in the same way");
    return true;
  }

  /** Prints the broken rules of a seed and its shrunk plan. Returns whether no rule was broken. */
  private boolean tell(Outcome outcome, PrintWriter out) {
    if (outcome.isClean()) {
      return true;
    }
    Plan plan = outcome.plan();
    out.println("seed " + plan.seed() + " broke a rule:");
    outcome.violations().forEach(violation -> out.println("  " + violation));
    if (shrinkSeconds > 0) {
      out.flush();
      String rule = outcome.violations().getFirst().rule();
      Plan small = Shrinker.of(rule, Duration.ofSeconds(shrinkSeconds)).shrink(plan);
      out.printf(
          "%d of its %d steps are enough to break it:%n",
          small.steps().size(), plan.steps().size());
      out.println("  " + small.withSteps(List.of()));
      small.steps().forEach(step -> out.printf("%14.4f ms  %s%n", step.at() / 1e6, step));
      if (trace) {
        out.println("the events of these steps:");
      }
      Outcome again = Simulation.run(small, trace ? out::println : null);
      again.violations().forEach(violation -> out.println("  " + violation));
    }
    out.println("again: ./verbena simulate --seed " + plan.seed() + of().options() + " --trace");
    return false;
  }
}
