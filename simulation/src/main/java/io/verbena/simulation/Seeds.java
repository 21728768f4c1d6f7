package io.verbena.simulation;

import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.PlanKind;
import io.verbena.simulation.plan.ShmPlanner;

/**
 * What seeds make plans of.
 *
 * @param shm whether sessions upgrade to shared memory in place of RDMA
 */
record Seeds(PlanKind kind, boolean shm) {
  /** Returns what a seed makes happen. */
  Plan plan(long seed) {
    Plan plan = kind.of(seed);
    return shm ? ShmPlanner.of(plan) : plan;
  }

  /** Returns what the command is given for it, behind a space; empty: nothing. */
  String options() {
    return kind.option() + (shm ? " --shm" : "");
  }
}
