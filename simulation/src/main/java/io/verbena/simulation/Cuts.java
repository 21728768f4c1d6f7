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

/** Ends calls and transfers when they are so far as was drawn, by what their users can see. */
final class Cuts {
  private final RunContext run;

  Cuts(RunContext run) {
    this.run = run;
  }

  /**
   * Looks after each turn how far something is, and cuts it in time.
   *
   * @param cut null: it is left alone
   * @param host who began it
   * @param timeout when its time is over, in nanoseconds from now
   * @param future completes when it ends
   * @param reached whether it is so far
   * @param cancel has it cancelled; by the other end where that is true
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
              // Its process stands still at this very step until its time is over.
              host.standStill(true);
              Agenda.Entry _ = run.agenda.at(deadline + 1, () -> host.standStill(false));
            }
          }
          return isThere;
        });
  }
}
