package io.verbena.simulation.check;

import java.util.Map;
import java.util.TreeMap;

/** How often something was so. */
public final class Tally {
  private final Map<String, Long> counts = new TreeMap<>();

  /** Once more. */
  public void add(String what) {
    add(what, 1);
  }

  /** So many times more. */
  public void add(String what, long times) {
    counts.merge(what, times, Long::sum);
  }

  /** Forgets all. */
  public void clear() {
    counts.clear();
  }

  /** Adds another's. */
  public void add(Tally other) {
    other.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
  }

  /** Returns the counts, by name. */
  public Map<String, Long> counts() {
    return counts;
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
