package io.verbena.simulation;

import io.verbena.simulation.check.Tally;
import io.verbena.simulation.plan.PlanKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A virtual machine that runs some seeds of a campaign. It prints on its standard output:
 *
 * <pre>
 *   clean SEED  |  broken SEED
 *   calls COUNT NAME  |  coverage COUNT NAME      counts since the last such line
 * </pre>
 */
final class Shard {
  private static final int TELL_EVERY = 100;

  /** With fewer seeds, the second compiler costs more than it gains. */
  private static final long WORTH_BOTH_COMPILERS = 400;

  private final Campaign campaign;
  private final Process process;
  private volatile boolean stopped;

  Shard(Campaign campaign, long first, long count) throws IOException {
    this.campaign = campaign;
    this.process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g", // as much as a seed takes many times over; each would grow to a quarter
                // of all
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + (count < WORTH_BOTH_COMPILERS ? 1 : 4),
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-cp",
                System.getProperty("java.class.path"),
                Shard.class.getName(),
                "" + first,
                "" + count,
                "" + campaign.keepsGoing(),
                campaign.seeds().kind().name(),
                "" + campaign.seeds().shm())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
  }

  void stop() {
    stopped = true;
    process.destroy();
  }

  /** Adds its output to the campaign, until it ends. */
  void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        take(line.split(" ", 3));
      }
      int exit = process.waitFor();
      if (exit != 0 && !stopped) {
        campaign.lost("it ended with status " + exit);
      }
    } catch (IOException e) {
      if (!stopped) {
        campaign.lost("it stopped printing (" + e.getMessage() + ")");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void take(String[] words) {
    Tally calls = new Tally();
    Tally coverage = new Tally();
    long number = Long.parseLong(words[1]);
    switch (words[0]) {
      case "clean" -> campaign.ended(number, true);
      case "broken" -> campaign.ended(number, false);
      case "calls" -> calls.add(words[2], number);
      case "coverage" -> coverage.add(words[2], number);
      default -> throw new IllegalArgumentException("a virtual machine printed " + words[0]);
    }
    campaign.add(calls, coverage);
  }

  /**
   * Runs seeds. The arguments are the first seed, the number of seeds, whether to continue after a
   * broken rule, and the kind of plans.
   */
  public static void main(String[] args) {
    PrintStream out = System.out;
    long first = Long.parseLong(args[0]);
    long count = Long.parseLong(args[1]);
    boolean keepsGoing = Boolean.parseBoolean(args[2]);
    Seeds seeds = new Seeds(PlanKind.valueOf(args[3]), Boolean.parseBoolean(args[4]));
    Tally calls = new Tally();
    Tally coverage = new Tally();
    boolean goesOn = true;
    for (long i = 0; i < count && goesOn; i++) {
      Outcome outcome = Simulation.run(seeds.plan(first + i), null);
      calls.add(outcome.calls());
      coverage.add(outcome.coverage());
      boolean last = i == count - 1 || (!outcome.isClean() && !keepsGoing);
      if (last || i % TELL_EVERY == TELL_EVERY - 1) {
        tell("calls", calls, out);
        tell("coverage", coverage, out);
      }
      out.println((outcome.isClean() ? "clean " : "broken ") + (first + i));
      goesOn = !last && !out.checkError(); // else the output is closed
    }
    System.exit(0);
  }

  private static void tell(String what, Tally tally, PrintStream out) {
    tally.counts().forEach((name, count) -> out.println(what + " " + count + " " + name));
    tally.clear();
  }
}
