package io.verbena.simulation;

import io.verbena.simulation.check.Tally;
import io.verbena.simulation.plan.Phase;
import io.verbena.simulation.plan.Step.FaultKind;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Which fault met a session in which phase, how often. */
final class CoverageTable {
  private final Tally coverage;

  CoverageTable(Tally coverage) {
    this.coverage = coverage;
  }

  /** The name of a cell. */
  static String cell(FaultKind fault, Phase phase) {
    return fault + " x " + phase;
  }

  private long count(FaultKind fault, Phase phase) {
    return coverage.counts().getOrDefault(cell(fault, phase), 0L);
  }

  /** Returns the cells that nothing has met. */
  List<String> empty() {
    List<String> empty = new ArrayList<>();
    for (FaultKind fault : FaultKind.values()) {
      for (Phase phase : Phase.values()) {
        if (count(fault, phase) == 0) {
          empty.add(cell(fault, phase));
        }
      }
    }
    return empty;
  }

  void print(PrintWriter out) {
    out.println(
        "which fault met a session in which phase (+: with an object under way), how often:");
    out.printf("  %-22s", "");
    for (Phase phase : Phase.values()) {
      out.printf(" %9s", phase.heading());
    }
    out.println();
    for (FaultKind fault : FaultKind.values()) {
      out.printf("  %-22s", fault);
      for (Phase phase : Phase.values()) {
        long count = count(fault, phase);
        out.printf(" %9s", count == 0 ? "-" : String.format("%,d", count));
      }
      out.println();
    }
    List<String> empty = empty();
    out.println(
        empty.isEmpty()
            ? "no cell is empty"
            : empty.size() + " cells are empty: " + String.join(", ", empty));
  }
}
