package io.verbena.simulation;

import io.verbena.simulation.plan.Step.Cut;
import io.verbena.simulation.plan.Step.CutKind;
import io.verbena.simulation.plan.Step.Stage;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.world.SimHost;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Ends calls and transfers at the stages of the plan. Stages are those that users can see. */
final class Cuts {
  private final RunContext run;

  Cuts(RunContext run) {
    this.run = run;
  }

  /**
   * Checks the stage of a call or transfer after each turn, and cuts it at the planned stage.
   *
   * @param cut the planned cut; null for none
   * @param host the host that began it
   * @param timeout its deadline in nanoseconds from now
   * @param future completes at its end
   * @param reached returns whether it has reached a stage
   * @param cancel cancels it; true for the other end
   */
  void watch(
      @Nullable Cut cut,
      SimHost host,
      long timeout,
      String name,
      CompletableFuture<?> future,
      Predicate<Stage> reached,
      Consumer<Boolean> cancel) {
    if (cut == null) {
      return;
    }
    long deadline = run.agenda.now() + timeout;
    run.scheduler.watch(
        () -> {
          if (host.hasEnded() || future.isDone()) {
            return true;
          }
          boolean isThere = reached.test(cut.stage());
          if (isThere) {
            run.journal.tally().add(cut.kind() + " at " + cut.stage());
            run.trace.say(() -> "%s is %s at %s".formatted(name, cut.kind(), cut.stage()));
            if (cut.kind() != CutKind.OUT_OF_TIME) {
              cancel.accept(cut.kind() == CutKind.CANCELLED_THERE);
            } else if (!host.standsStill()) {
              // The process stands still at this very step until the deadline.
              host.standStill(true);
              Agenda.Entry _ = run.agenda.at(deadline + 1, () -> host.standStill(false));
            }
          }
          return isThere;
        });
  }
}
