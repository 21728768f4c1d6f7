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

/** What has met what, how often. */
final class CoverageTable {
  private final Tally coverage;
  private final List<FaultKind> faults;

  /** Of what seeds have made happen. */
  CoverageTable(Tally coverage, Seeds seeds) {
    this.coverage = coverage;
    this.faults = List.copyOf(seeds.shm() ? FaultKind.WITH_SHM : FaultKind.WITH_RDMA);
  }

  /** The name of a cell. */
  static String cell(FaultKind fault, Phase phase) {
    return fault + " x " + phase;
  }

  private long count(String cell) {
    return coverage.counts().getOrDefault(cell, 0L);
  }

  /** Returns the cells that nothing has met. */
  List<String> empty() {
    List<String> empty = new ArrayList<>();
    tables().forEach(table -> table.cells(empty));
    empty.removeIf(cell -> count(cell) > 0);
    return empty;
  }

  void print(PrintWriter out) {
    tables().forEach(table -> print(table, out));
    List<String> empty = empty();
    out.println(
        empty.isEmpty()
            ? "no cell is empty"
            : empty.size() + " cells are empty: " + String.join(", ", empty));
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
            "which fault met a session in which phase (+: with an object under way), how often:",
            faults,
            List.of(Phase.values()),
            Phase::heading,
            CoverageTable::cell),
        new Table<>(
            "which fault met a stream of which kind under way, how often:",
            faults,
            List.of(StreamKind.values()),
            StreamKind::name,
            StreamBook::cell),
        new Table<>(
            "how streams ended, and what they met:",
            List.of(StreamKind.values()),
            List.of(StreamBook.Met.values()),
            StreamBook.Met::name,
            StreamBook::cell));
  }

  /** Cells of two things that may come together. */
  private record Table<A extends Enum<A>, B extends Enum<B>>(
      String title,
      List<A> downwards,
      List<B> across,
      Function<B, String> heading,
      BiFunction<A, B, String> cell) {
    List<String> headings() {
      return across.stream().map(heading).toList();
    }

    /** Returns for each row its name, and its cells. */
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
