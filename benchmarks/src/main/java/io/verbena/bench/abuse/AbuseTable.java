package io.verbena.bench.abuse;

import io.verbena.bench.report.Tables;
import io.verbena.testkit.abuse.Abuse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Measures abuses, one after the other, and prints what came of them. For one thread. */
public final class AbuseTable {
  private AbuseTable() {}

  /**
   * Measures and prints.
   *
   * @param most how many connections an abuse has at most; each has as many as is usual for it
   * @return whether all were borne: others' p99 was within twice what it was, memory within its
   *     budget, and all of it was given back
   */
  public static boolean print(Set<Abuse> abuses, int most, AbuseMeter meter, PrintWriter out)
      throws IOException, InterruptedException {
    List<List<String>> rows = new ArrayList<>();
    rows.add(AbuseRow.heading());
    boolean borne = true;
    for (Abuse abuse : abuses) {
      AbuseRow row = meter.measure(abuse, Math.min(most, abuse.usual()));
      rows.add(row.cells());
      borne &= row.isBorne();
      out.println(String.join("  ", row.cells()));
      out.flush();
    }
    out.println();
    out.println(Tables.table(rows));
    return borne;
  }
}
