package io.verbena.simulation;

import io.verbena.simulation.check.Journal;
import io.verbena.simulation.check.Tally;
import io.verbena.simulation.check.Violation;
import io.verbena.simulation.plan.Plan;
import java.util.List;
import java.util.Map;

/**
 * The outcome of a run.
 *
 * @param violations the broken rules; empty if all rules held
 * @param calls the counts of the ends of calls
 * @param results the result of each call and transfer, by its number
 * @param coverage the counts of faults in phases
 * @param virtualNanos the duration on the run's own clock
 * @param turns the number of turns of its strands
 * @param hash a number that is the same for equal runs
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
