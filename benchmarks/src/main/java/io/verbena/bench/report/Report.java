package io.verbena.bench.report;

import io.verbena.bench.usage.HostInfo;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All that one run came to.
 *
 * @param started in ISO 8601
 * @param command what to type in order to run it again
 * @param server null: the client's process is the server's too
 * @param versions of what took part
 * @param absent who did not take part, and why
 * @param weakRivals why no claim can rest on this run, a line for each rival that did far less than
 *     it is known for
 * @param failure what ended the run before all was measured; empty: nothing did
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
  /** Takes reports of versions that did not tell of the last two. */
  public Report {
    weakRivals = Objects.requireNonNullElse(weakRivals, List.of());
    failure = Objects.requireNonNullElse(failure, "");
  }
}
