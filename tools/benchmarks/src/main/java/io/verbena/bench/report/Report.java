package io.verbena.bench.report;

import io.verbena.bench.usage.HostInfo;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The report of one run.
 *
 * @param started the start in ISO 8601
 * @param command the command that repeats the run
 * @param server the server's host; null if client and server are one process
 * @param absent the contestants that did not take part, with the reasons
 * @param weakRivals a line for each rival that was far slower than its known speed. No claim can
 *     rest on a run with a weak rival
 * @param failure the failure that ended the run early; empty for none
 */
public record Report(
    String started,
    String command,
    HostInfo client,
    @Nullable HostInfo server,
    Map<String, String> versions,
    Map<String, String> absent,
    List<Result> results,
    List<String> weakRivals,
    String failure) {
  /** Accepts reports of older versions, which lack the last two. */
  public Report {
    weakRivals = Objects.requireNonNullElse(weakRivals, List.of());
    failure = Objects.requireNonNullElse(failure, "");
  }
}
