package io.verbena.simulation;

import io.verbena.simulation.check.StreamBook;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.plan.Phase;
import io.verbena.simulation.plan.Step.FaultKind;
import io.verbena.simulation.plan.Step.StreamKind;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Prints how often faults met phases and streams. */
final class CoverageTable {
  private static final int MOST_NAMED = 20;

  private final Tally coverage;
  private final List<FaultKind> faults;

  /** Makes the table of counts from seeds. */
  CoverageTable(Tally coverage, Seeds seeds) {
    this.coverage = coverage;
    this.faults = List.copyOf(seeds.shm() ? FaultKind.WITH_SHM : FaultKind.WITH_RDMA);
  }

  /** Returns the name of a cell. */
  static String cell(FaultKind fault, Phase phase) {
    return fault + " x " + phase;
  }

  private long count(String cell) {
    return coverage.counts().getOrDefault(cell, 0L);
  }

  /** Returns the cells with the count 0. */
  List<String> empty() {
    List<String> empty = new ArrayList<>();
    tables().forEach(table -> table.cells(empty));
    empty.removeIf(cell -> count(cell) > 0);
    return empty;
  }

  void print(PrintWriter out) {
    tables().forEach(table -> print(table, out));
    List<String> empty = empty();
    if (empty.isEmpty()) {
      out.println("no cell is empty");
    } else if (empty.size() <= MOST_NAMED) {
      out.println(empty.size() + " cells are empty: " + String.join(", ", empty));
    } else {
      out.println(empty.size() + " cells are empty; more seeds fill them");
    }
  }

  private void print(Table<?, ?> table, PrintWriter out) {
    out.println(table.title());
    out.printf("  %-22s", "");
    table.headings().forEach(heading -> out.printf(" %14s", heading));
    out.println();
    for (List<String> row : table.rows()) {
      out.printf("  %-22s", row.getFirst());
      for (String cell : row.subList(1, row.size())) {
        long count = count(cell);
        out.printf(" %14s", count == 0 ? "-" : String.format("%,d", count));
      }
      out.println();
    }
  }

  private List<Table<?, ?>> tables() {
    return List.of(
        new Table<>(
            "faults by the phase of their session (+: with an object in transfer):",
            faults,
            List.of(Phase.values()),
            Phase::heading,
            CoverageTable::cell),
        new Table<>(
            "faults by the kind of the streams that they met:",
            faults,
            List.of(StreamKind.values()),
            StreamKind::name,
            StreamBook::cell),
        new Table<>(
            "streams by their end, and by the events that they met:",
            List.of(StreamKind.values()),
            List.of(StreamBook.Met.values()),
            StreamBook.Met::name,
            StreamBook::cell));
  }

  /** A table of two dimensions. */
  private record Table<A extends Enum<A>, B extends Enum<B>>(
      String title,
      List<A> downwards,
      List<B> across,
      Function<B, String> heading,
      BiFunction<A, B, String> cell) {
    List<String> headings() {
      return across.stream().map(heading).toList();
    }

    /** Returns the name and the cells of each row. */
    List<List<String>> rows() {
      List<List<String>> rows = new ArrayList<>();
      for (A one : downwards) {
        List<String> row = new ArrayList<>(List.of(one.name()));
        across.forEach(other -> row.add(cell.apply(one, other)));
        rows.add(row);
      }
      return rows;
    }

    void cells(List<String> into) {
      rows().forEach(row -> into.addAll(row.subList(1, row.size())));
    }
  }
}
