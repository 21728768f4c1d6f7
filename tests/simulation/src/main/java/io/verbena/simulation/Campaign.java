package io.verbena.simulation;

import io.verbena.simulation.check.Tally;
import io.verbena.simulation.plan.PlanKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs many seeds, on one or several processors, and adds up their results. Each processor has its
 * own virtual machine, so that runs do not affect each other. Such a machine prints a line for each
 * seed: the seed, whether it is clean, and the counts of calls ({@code c12 NAME}) and of faults
 * ({@code f3 NAME}), with a tab before each.
 */
final class Campaign {
  /**
   * A virtual machine runs at most this number of seeds. Killed processes of a simulation never
   * free their memory outside the heap, some 500 KiB for each seed.
   */
  private static final long SEEDS_OF_A_MACHINE = 2_500;

  /** With fewer seeds, the second compiler costs more than it gains. */
  private static final long WORTH_BOTH_COMPILERS = 400;

  private final long first;
  private final long count;
  private final Seeds seeds;
  private final boolean keepsGoing;
  private final BiConsumer<Long, Long> told;
  private final Set<Process> machines = new HashSet<>();
  private boolean stopped;
  private @Nullable String lost;

  // The result, once the campaign has run.

  /** The counts of the ends of calls and transfers. */
  final Tally calls = new Tally();

  /** The counts of faults in phases. */
  final Tally coverage = new Tally();

  /** The seeds that broke a rule. */
  final List<Long> broken = new ArrayList<>();

  /** The number of seeds that have ended. */
  long done;

  /**
   * Makes a campaign of consecutive seeds.
   *
   * @param seeds makes the plans of seeds
   * @param keepsGoing whether to continue after a rule was broken
   * @param told called after each seed, with the number of seeds that have ended, and of those that
   *     broke a rule
   */
  Campaign(long first, long count, Seeds seeds, boolean keepsGoing, BiConsumer<Long, Long> told) {
    this.first = first;
    this.count = count;
    this.seeds = seeds;
    this.keepsGoing = keepsGoing;
    this.told = told;
  }

  /** Runs the seeds on several virtual machines. If one is enough, this one runs them. */
  void run(int most) throws IOException, InterruptedException {
    int jobs = Math.max(1, most);
    if (jobs == 1 && count <= SEEDS_OF_A_MACHINE) {
      for (long seed = first; seed < first + count && !stopped; seed++) {
        Outcome outcome = Simulation.run(seeds.plan(seed), null);
        ended(seed, outcome.isClean(), outcome.calls(), outcome.coverage());
      }
      return;
    }
    long ofEach = Math.min(SEEDS_OF_A_MACHINE, Math.ceilDiv(count, jobs));
    ExecutorService runners = Executors.newFixedThreadPool(jobs);
    try {
      for (long given = 0; given < count; given += ofEach) {
        long from = first + given;
        long more = Math.min(ofEach, count - given);
        runners.execute(() -> runMachine(from, more));
      }
      runners.shutdown();
      boolean _ = runners.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    } finally {
      stop();
      runners.shutdownNow();
    }
    if (lost != null) {
      throw new IOException(
          "%,d of %,d seeds have ended, and then a virtual machine was lost: %s"
              .formatted(done, count, lost));
    }
  }

  private void runMachine(long from, long more) {
    try {
      Process machine = start(from, more);
      if (machine != null) {
        try (BufferedReader lines = machine.inputReader(StandardCharsets.UTF_8)) {
          lines.lines().forEach(this::read);
        }
        int status = machine.waitFor();
        if (status != 0) {
          lost("it ended with status " + status);
        }
      }
    } catch (IOException | RuntimeException e) {
      lost(e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized @Nullable Process start(long from, long more) throws IOException {
    if (stopped) {
      return null;
    }
    Process machine =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g", // many times what a seed takes; each would grow to a quarter of all
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + (more < WORTH_BOTH_COMPILERS ? 1 : 4),
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-cp",
                System.getProperty("java.class.path"),
                Campaign.class.getName(),
                "" + from,
                "" + more,
                seeds.kind().name(),
                "" + seeds.shm())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    machines.add(machine);
    return machine;
  }

  private void read(String line) {
    String[] fields = line.split("\t", -1);
    Tally ofCalls = new Tally();
    Tally ofFaults = new Tally();
    for (String count : List.of(fields).subList(2, fields.length)) {
      int blank = count.indexOf(' ');
      (count.charAt(0) == 'c' ? ofCalls : ofFaults)
          .add(count.substring(blank + 1), Long.parseLong(count.substring(1, blank)));
    }
    ended(Long.parseLong(fields[0]), Boolean.parseBoolean(fields[1]), ofCalls, ofFaults);
  }

  private synchronized void ended(long seed, boolean clean, Tally ofCalls, Tally ofFaults) {
    if (stopped) {
      return;
    }
    done++;
    calls.add(ofCalls);
    coverage.add(ofFaults);
    if (!clean) {
      broken.add(seed);
    }
    told.accept(done, (long) broken.size());
    if (!clean && !keepsGoing) {
      stop();
    }
  }

  private synchronized void lost(String why) {
    if (!stopped) {
      lost = why;
      stop();
    }
  }

  private synchronized void stop() {
    stopped = true;
    machines.forEach(Process::destroy);
  }

  /** Runs seeds. The arguments: the first, the number, the kind of plans, whether on one host. */
  public static void main(String[] args) {
    Seeds seeds = new Seeds(PlanKind.valueOf(args[2]), Boolean.parseBoolean(args[3]));
    long seed = Long.parseLong(args[0]);
    long end = seed + Long.parseLong(args[1]);
    for (; seed < end && !System.out.checkError(); seed++) { // nobody reads a closed output
      Outcome outcome = Simulation.run(seeds.plan(seed), null);
      StringBuilder line = new StringBuilder().append(seed).append('\t').append(outcome.isClean());
      outcome.calls().counts().forEach((name, n) -> line.append("\tc" + n + " " + name));
      outcome.coverage().counts().forEach((name, n) -> line.append("\tf" + n + " " + name));
      System.out.println(line);
    }
    System.exit(0);
  }
}
