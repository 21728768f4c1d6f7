package io.verbena.simulation;

import io.verbena.simulation.check.StreamBook;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.plan.Phase;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.plan.Step.StreamKind;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Prints how often faults met phases and streams. */
final class CoverageTable {
  private static final int MOST_NAMED = 20;

  private final Tally coverage;
  private final PrintWriter out;
  private final List<String> empty = new ArrayList<>();

  private CoverageTable(Tally coverage, PrintWriter out) {
    this.coverage = coverage;
    this.out = out;
  }

  /** Returns the name of a cell. */
  static String cell(FaultKind fault, Phase phase) {
    return fault + " x " + phase;
  }

  /** Prints the tables of counts from seeds, and the cells with the count 0. */
  static void print(Tally coverage, Seeds seeds, PrintWriter out) {
    new CoverageTable(coverage, out).print(seeds.shm() ? FaultKind.WITH_SHM : FaultKind.WITH_RDMA);
  }

  private void print(Set<FaultKind> faults) {
    print(
        "faults by the phase of their session (+: with an object in transfer):",
        faults,
        Phase.values(),
        Phase::heading,
        CoverageTable::cell);
    print(
        "faults by the kind of the streams that they met:",
        faults,
        StreamKind.values(),
        StreamKind::name,
        StreamBook::cell);
    print(
        "streams by their end, and by the events that they met:",
        List.of(StreamKind.values()),
        StreamBook.Met.values(),
        StreamBook.Met::name,
        StreamBook::cell);
    if (empty.isEmpty()) {
      out.println("no cell is empty");
    } else if (empty.size() <= MOST_NAMED) {
      out.println(empty.size() + " cells are empty: " + String.join(", ", empty));
    } else {
      out.println(empty.size() + " cells are empty; more seeds fill them");
    }
  }

  private <A, B> void print(
      String title,
      Collection<A> downwards,
      B[] across,
      Function<B, String> heading,
      BiFunction<A, B, String> cell) {
    out.println(title);
    out.printf("  %-22s", "");
    for (B other : across) {
      out.printf(" %14s", heading.apply(other));
    }
    out.println();
    for (A one : downwards) {
      out.printf("  %-22s", one);
      for (B other : across) {
        String name = cell.apply(one, other);
        long count = coverage.counts().getOrDefault(name, 0L);
        if (count == 0) {
          empty.add(name);
        }
        out.printf(" %14s", count == 0 ? "-" : String.format("%,d", count));
      }
      out.println();
    }
  }
}
