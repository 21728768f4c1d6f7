package io.verbena.simulation;

import io.verbena.simulation.check.Journal;
import io.verbena.simulation.plan.Step.Cut;
import io.verbena.simulation.plan.Step.CutKind;
import io.verbena.simulation.plan.Step.Stage;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.world.SimHost;
import java.util.function.BooleanSupplier;

/** Ends calls and transfers when they are so far as was drawn, by what their users can see. */
final class Cuts {
  private final Scheduler scheduler;
  private final Journal journal;
  private final Trace trace;

  Cuts(Scheduler scheduler, Journal journal, Trace trace) {
    this.scheduler = scheduler;
    this.journal = journal;
    this.trace = trace;
  }

  /** What is to be cut. */
  interface Cuttable {
    /** Returns whether it has ended. */
    boolean isOver();

    /** Returns whether it is so far. */
    boolean isAt(Stage stage);

    /** Has either of its ends cancel it. */
    void cancel(boolean there);
  }

  /**
   * Looks after each turn how far it is, and cuts it in time.
   *
   * @param host who began it
   * @param deadline when its time is over, on the run's clock
   */
  void watch(Cut cut, SimHost host, long deadline, String name, Cuttable it) {
    scheduler.watch(
        () -> {
          if (host.hasEnded() || it.isOver()) {
            return true;
          }
          boolean reached = it.isAt(cut.stage());
          if (reached) {
            journal.tally().add(cut.kind() + " at " + cut.stage());
            trace.say(() -> "%s is %s at %s".formatted(name, cut.kind(), cut.stage()));
            if (cut.kind() == CutKind.OUT_OF_TIME) {
              standStill(host, deadline, it::isOver);
            } else {
              it.cancel(cut.kind() == CutKind.CANCELLED_THERE);
            }
          }
          return reached;
        });
  }

  /** Its process stands still at this very step until its time is over. */
  private void standStill(SimHost host, long deadline, BooleanSupplier over) {
    if (host.standsStill() || over.getAsBoolean()) {
      return;
    }
    host.standStill(true);
    Agenda.Entry _ = scheduler.agenda().at(deadline + 1, () -> host.standStill(false));
  }
}
