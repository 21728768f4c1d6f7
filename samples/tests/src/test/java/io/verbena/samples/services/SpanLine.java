package io.verbena.samples.services;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A span, as {@link SpanLog} writes it. */
record SpanLine(String trace, String id, String parent, String service, String kind, String name) {
  private static final Pattern LINE =
      Pattern.compile(
          "^trace=(\\S{32}) span=(\\S{16}) parent=(\\S+) (\\S+) +(\\S+) +(\\S+) OK \\d+ us$",
          Pattern.MULTILINE);

  static List<SpanLine> of(String log) {
    return LINE.matcher(log).results().map(SpanLine::of).toList();
  }

  private static SpanLine of(MatchResult found) {
    return new SpanLine(
        found.group(1),
        found.group(2),
        found.group(3),
        found.group(4),
        found.group(5),
        found.group(6));
  }

  String where() {
    return service + " " + kind + " " + name;
  }
}
