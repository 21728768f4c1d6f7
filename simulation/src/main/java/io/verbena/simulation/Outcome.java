package io.verbena.simulation;

import io.verbena.simulation.check.Journal;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.check.Violation;
import io.verbena.simulation.plan.Plan;
import java.util.List;
import java.util.Map;

/**
 * What became of a run.
 *
 * @param violations empty where all rules held
 * @param calls how they ended
 * @param results what became of each call and transfer, by its number
 * @param coverage which faults met which phases
 * @param virtualNanos how long it took on its own clock
 * @param turns how many turns its strands had
 * @param hash the same for equal runs
 */
record Outcome(
    Plan plan,
    List<Violation> violations,
    Tally calls,
    Map<Long, Journal.Result> results,
    Tally coverage,
    long virtualNanos,
    long turns,
    long hash) {
  boolean isClean() {
    return violations.isEmpty();
  }
}
