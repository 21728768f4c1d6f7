package io.verbena.simulation.plan;

import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.Fault;
import io.verbena.simulation.world.HostSettings;
import io.verbena.simulation.world.Upgrades;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Turns a plan into one of processes on one host. Sessions upgrade to shared memory in place of
 * RDMA; all do if none would use RDMA. Faults of devices become faults of links. A slow peer is
 * sent so much that the ring is full.
 */
public final class ShmPlanner {
  private static final int CROWD = 40;
  private static final int CROWD_BYTES = 15_000;
  private static final long BETWEEN_NANOS = 50_000;
  private static final long CROWDS_OPS = 2_000;

  private ShmPlanner() {}

  /** Returns the plan with shared memory. */
  public static Plan of(Plan drawn) {
    boolean none =
        Stream.concat(drawn.servers().stream(), drawn.clients().stream())
            .allMatch(host -> host.upgrades() == Upgrades.NONE);
    UnaryOperator<HostSettings> over =
        host -> none || host.upgrades() == Upgrades.RDMA ? host.with(Upgrades.SHARED_MEMORY) : host;
    return drawn
        .withHosts(
            drawn.servers().stream().map(over).toList(),
            drawn.clients().stream().map(over).toList())
        .withSteps(steps(drawn.steps()));
  }

  private static List<Step> steps(List<Step> drawn) {
    List<Step> steps = new ArrayList<>();
    long op = CROWDS_OPS;
    for (Step step : drawn) {
      if (!(step instanceof Fault fault)) {
        steps.add(step);
        continue;
      }
      Fault here = fault.overSharedMemory();
      steps.add(here);
      if (here.kind().isSlow()) {
        long at = here.at();
        for (int i = 0; i < CROWD; i++) {
          at += BETWEEN_NANOS;
          steps.add(new Call(at, here.session(), ++op, CallKind.ECHO, CROWD_BYTES, 0, -1));
        }
      }
    }
    steps.sort(Comparator.comparingLong(Step::at));
    return steps;
  }
}
