package io.verbena.simulation;

import io.verbena.simulation.plan.Plan;
import io.verbena.simulation.plan.PlanKind;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs seeds and plans, each on a virtual thread that takes turns with its strands. */
final class Simulation {
  private Simulation() {}

  static Outcome run(long seed) {
    return run(PlanKind.PLAIN.of(seed), null);
  }

  static Outcome run(Plan plan, @Nullable Consumer<String> trace) {
    return run(plan, null, trace);
  }

  /** Runs a plan, while one client misbehaves. */
  static Outcome run(Plan plan, @Nullable Mischief mischief, @Nullable Consumer<String> trace) {
    AtomicReference<Outcome> outcome = new AtomicReference<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread =
        Thread.ofVirtual()
            .name("simulation-" + plan.seed())
            .start(
                () -> {
                  try {
                    outcome.set(Run.of(plan, mischief, trace));
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a seed ran", e);
    }
    Outcome made = outcome.get();
    if (made == null) {
      throw new IllegalStateException("seed " + plan.seed() + " could not be run", failure.get());
    }
    return made;
  }
}
