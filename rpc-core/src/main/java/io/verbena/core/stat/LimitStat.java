package io.verbena.core.stat;

import java.util.List;

/**
 * The limit of a server's concurrent calls, and the calls that it admitted and refused.
 *
 * @param limit the present limit
 * @param inFlight the number of running calls, including those that wait for a thread
 * @param latencyMicros their recent latency in microseconds; 0 while it is unknown
 * @param unloadedMicros their latency under low load in microseconds; 0 while it is unknown
 * @param priorities the figures by priority, the highest first
 */
public record LimitStat(
    int limit, int inFlight, long latencyMicros, long unloadedMicros, List<OfPriority> priorities) {
  /**
   * The calls of one priority.
   *
   * @param priority in lower case
   * @param places a call of this priority is admitted while fewer calls of all priorities run
   * @param taken the number of admitted calls since the server started
   * @param shed the number of refused calls since the server started
   */
  public record OfPriority(String priority, int places, long taken, long shed) {}
}
