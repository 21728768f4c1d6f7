package io.verbena.core.stat;

import java.util.List;

/**
 * The limit of the calls that a server runs at once, and what became of those that came.
 *
 * @param limit how many calls may run now
 * @param inFlight how many do, with those that wait for a thread
 * @param latencyMicros how long they took lately; 0 while that is not known
 * @param unloadedMicros how long they take where they are few; 0 while that is not known
 * @param priorities the same by priority, the highest first
 */
public record LimitStat(
    int limit, int inFlight, long latencyMicros, long unloadedMicros, List<OfPriority> priorities) {
  /**
   * Calls of one priority.
   *
   * @param priority in small letters
   * @param places how many calls of all priorities may run for one of these to be taken
   * @param taken how many were taken since the server started
   * @param shed how many were refused
   */
  public record OfPriority(String priority, int places, long taken, long shed) {}
}
