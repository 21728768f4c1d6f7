package io.verbena.simulation.plan;

import java.util.function.LongFunction;

/** What a seed is asked for: each kind draws other plans of the same seeds. */
public enum PlanKind {
  PLAIN("", Planner::of),

  /** Ends reach memory that others expose. */
  REGIONS(" --regions", RegionPlanner::of),

  /** Messages of calls are compressed. */
  COMPRESSED(" --compress", CompressionPlanner::of);

  private final String option;

  @SuppressWarnings("ImmutableEnumChecker") // it has no state
  private final LongFunction<Plan> planner;

  PlanKind(String option, LongFunction<Plan> planner) {
    this.option = option;
    this.planner = planner;
  }

  /** Returns what the command is given for it, behind a space; empty: nothing. */
  public String option() {
    return option;
  }

  /** Returns the plan of a seed. */
  public Plan of(long seed) {
    return planner.apply(seed);
  }
}
