package io.verbena.simulation.check;

import java.util.Map;
import java.util.TreeMap;

/** Counts events by name. */
public final class Tally {
  private final Map<String, Long> counts = new TreeMap<>();

  public void add(String what) {
    add(what, 1);
  }

  public void add(String what, long times) {
    counts.merge(what, times, Long::sum);
  }

  public void clear() {
    counts.clear();
  }

  /** Adds the counts of another tally. */
  public void add(Tally other) {
    other.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
  }

  public Map<String, Long> counts() {
    return counts;
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
