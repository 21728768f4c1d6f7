package io.verbena.simulation.plan;

import java.util.function.LongFunction;

/** The kinds of plans. Each kind draws other plans from the same seeds. */
public enum PlanKind {
  PLAIN("", Planner::of),

  /** Ends access exposed memory of their peers. */
  REGIONS(" --regions", RegionPlanner::of),

  /** Messages of calls are compressed. */
  COMPRESSED(" --compress", CompressionPlanner::of),

  /** Hosts have the adapters of drivers. */
  ADAPTERS(" --adapters", AdapterPlanner::of),

  /** Callers block, and step the event loops that their replies come by. */
  CALLERS(" --callers", CallerPlanner::of);

  private final String option;

  @SuppressWarnings("ImmutableEnumChecker") // it has no state
  private final LongFunction<Plan> planner;

  PlanKind(String option, LongFunction<Plan> planner) {
    this.option = option;
    this.planner = planner;
  }

  /** Returns the option of the command after a space; empty for none. */
  public String option() {
    return option;
  }

  public Plan of(long seed) {
    return planner.apply(seed);
  }
}
