package io.verbena.bench.goal;

import io.verbena.bench.counts.StandardLoad;
import io.verbena.bench.counts.Stepper;
import io.verbena.bench.counts.Stepper.Instructions;
import io.verbena.bench.counts.Strace;
import io.verbena.bench.counts.SystemCalls;
import java.io.IOException;
import java.util.List;
import java.util.function.ToLongFunction;

/** Targets that are counted, not timed: they say the same on a busy host. */
public final class CountedCosts {
  private static final String OWN = "64 B call over RDMA, own work a side";
  private static final double INSTRUCTIONS = 2_100;
  private static final double LOCKED = 8;
  private static final String SYSTEM_CALLS = "system calls per MiB, put of 1 MiB over TCP";

  private CountedCosts() {}

  /** Tells each. */
  public static void measure(Scoreboard board) throws InterruptedException {
    board.section(OWN, () -> ownWork(board));
    board.section(SYSTEM_CALLS, () -> systemCalls(board));
  }

  private static void ownWork(Scoreboard board) throws IOException {
    if (!Stepper.isHere()) {
      throw new IOException("a process can be executed step by step on Linux on x86-64 alone");
    }
    List<Instructions> both = Stepper.count();
    board.tell(own(OWN, both, Instructions::instructions, INSTRUCTIONS, "instr."));
    board.tell(own(OWN + ", locked", both, Instructions::locked, LOCKED, "instr."));
  }

  /** Instructions of bare verbs for the same messages count for the devices. */
  private static Row own(
      String name,
      List<Instructions> callAndVerbs,
      ToLongFunction<Instructions> figure,
      double limit,
      String unit) {
    double call = figure.applyAsLong(callAndVerbs.getFirst());
    double verbs = figure.applyAsLong(callAndVerbs.getLast());
    return Row.atMost(name, Beside.of((call - verbs) / 2, "the target", limit), unit, 1);
  }

  private static void systemCalls(Scoreboard board) throws IOException {
    if (!Strace.isHere()) {
      throw new IOException("strace is not here: install it");
    }
    List<SystemCalls> all = Strace.count();
    double ours = perMebibyte(all, StandardLoad.PUT_1M.title());
    double raw = perMebibyte(all, Strace.RAW_PUT);
    board.tell(Row.atMost(SYSTEM_CALLS, Beside.of(ours, "raw nio", raw), "calls", 1.2));
  }

  private static double perMebibyte(List<SystemCalls> all, String title) {
    return all.stream()
        .filter(one -> one.title().equals(title))
        .findFirst()
        .orElseThrow()
        .perMebibyte();
  }
}
