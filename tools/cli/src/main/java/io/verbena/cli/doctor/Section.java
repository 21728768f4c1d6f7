package io.verbena.cli.doctor;

import io.verbena.cli.doctor.Finding.Mark;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The findings about one part of the machine. */
record Section(String title, List<Finding> findings) {
  Section {
    findings = List.copyOf(findings);
  }

  boolean has(Mark mark) {
    return findings.stream().anyMatch(finding -> finding.mark() == mark);
  }

  /** Returns this section without cures that were printed before, and adds its own to them. */
  Section without(Set<String> told) {
    List<Finding> once = new ArrayList<>();
    for (Finding finding : findings) {
      boolean isNew = finding.cure().isEmpty() || told.add(finding.cure());
      once.add(isNew ? finding : finding.withCure("the same"));
    }
    return new Section(title, once);
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
