package io.verbena.cli.doctor;

import io.verbena.cli.doctor.Finding.Mark;
import java.io.PrintWriter;
import java.util.List;

/** The findings about one part of the machine. */
record Section(String title, List<Finding> findings) {
  Section {
    findings = List.copyOf(findings);
  }

  boolean has(Mark mark) {
    return findings.stream().anyMatch(finding -> finding.mark() == mark);
  }

  void print(PrintWriter out) {
    out.println(title);
    for (Finding finding : findings) {
      out.printf("  %-8s %-18s %s%n", finding.mark().word, finding.what(), finding.detail());
      if (!finding.cure().isEmpty()) {
        out.printf("           cure: %s%n", finding.cure());
      }
    }
  }
}
