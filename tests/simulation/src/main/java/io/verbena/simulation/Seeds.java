package io.verbena.simulation;

import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.PlanKind;
import io.verbena.simulation.plan.ShmPlanner;

/**
 * Makes the plans of seeds.
 *
 * @param shm whether sessions upgrade to shared memory in place of RDMA
 */
record Seeds(PlanKind kind, boolean shm) {
  Plan plan(long seed) {
    Plan plan = kind.of(seed);
    return shm ? ShmPlanner.of(plan) : plan;
  }

  /** Returns the options of the command after a space; empty for none. */
  String options() {
    return kind.option() + (shm ? " --shm" : "");
  }
}
