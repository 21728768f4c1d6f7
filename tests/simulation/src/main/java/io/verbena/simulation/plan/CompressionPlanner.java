package io.verbena.simulation.plan;

import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.world.HostSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws a plan from a seed in which most processes compress their messages. Many calls have
 * compressible content. A restarted server may have another setting.
 */
final class CompressionPlanner {
  private final SplittableRandom random;

  private CompressionPlanner(long seed) {
    random = new SplittableRandom(seed ^ 0x1e55_5L);
  }

  static Plan of(long seed) {
    return new CompressionPlanner(seed).plan(Planner.of(seed));
  }

  private Plan plan(Plan drawn) {
    List<HostSettings> servers = drawn.servers().stream().map(this::compressing).toList();
    List<HostSettings> clients = drawn.clients().stream().map(this::compressing).toList();
    List<Step> steps = new ArrayList<>(drawn.steps());
    steps.replaceAll(step -> step instanceof Call call ? withText(call) : step);
    return drawn.withHosts(servers, clients).withSteps(steps);
  }

  private HostSettings compressing(HostSettings host) {
    int from = among(1, 64, 1024);
    return host.compressing(
        switch (random.nextInt(6)) {
          case 0 -> 0;
          case 1 -> -from;
          default -> from;
        });
  }

  private int among(int... values) {
    return values[random.nextInt(values.length)];
  }

  private Call withText(Call call) {
    boolean turned =
        switch (call.kind()) {
          case ECHO -> true;
          case COUNT, COUNT_NOW -> random.nextInt(3) == 0;
          default -> false;
        };
    return turned
        ? new Call(
            call.at(),
            call.session(),
            call.op(),
            CallKind.TEXT,
            random.nextInt(among(300, 4_000, 60_000, 200_000)),
            call.timeout(),
            call.cancelAfter())
        : call;
  }
}
