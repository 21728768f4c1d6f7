package io.verbena.cli.stat;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows under a head, each column as wide as its widest cell. */
final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... head) {
    rows.add(List.of(head));
  }

  boolean isEmpty() {
    return rows.size() == 1;
  }

  void row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(String.valueOf(cell));
    }
    rows.add(row);
  }

  void print(PrintWriter out, String indent) {
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
