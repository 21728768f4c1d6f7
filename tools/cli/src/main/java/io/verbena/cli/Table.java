package io.verbena.cli;

import io.verbena.api.settings.OneLine;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table of text. Each column is as wide as its widest cell. */
public final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  /** Makes a table with a head and no rows. */
  public Table(String... head) {
    rows.add(List.of(head));
  }

  /** Returns whether the table has no rows. */
  public boolean isEmpty() {
    return rows.size() == 1;
  }

  /** Adds a row, with as many cells as the head has. */
  public void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(OneLine.of(cell)); // the text may come from a peer
    }
    rows.add(row);
  }

  /** Prints the table, with an indent before each line. */
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
