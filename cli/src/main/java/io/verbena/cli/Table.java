package io.verbena.cli;

import io.verbena.api.settings.OneLine;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows under a head, each column as wide as its widest cell. */
public final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with this head, and no rows. */
  public Table(String... head) {
    rows.add(List.of(head));
  }

  /** Returns whether there is nothing under the head. */
  public boolean isEmpty() {
    return rows.size() == 1;
  }

  /** Adds a row, with as many cells as the head has. */
  public void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(OneLine.of(cell)); // a peer may have said it
    }
    rows.add(row);
  }

  /** Prints it, each line behind an indent. */
  public void print(PrintWriter out, String indent) {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder(indent);
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
