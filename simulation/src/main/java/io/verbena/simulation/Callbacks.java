package io.verbena.simulation;

import io.verbena.api.CallContext;
import io.verbena.simulation.check.Entry;
import io.verbena.simulation.check.Journal;
import io.verbena.simulation.contract.GuideRpc;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.world.SimHost;
import java.util.concurrent.CompletableFuture;

/** Calls that servers make to their clients. */
final class Callbacks {
  /** So that no callback has the number of a call. */
  private static final long STOPS = 1_000_000;

  private final Journal journal;
  private final boolean calm;

  Callbacks(Journal journal, boolean calm) {
    this.journal = journal;
    this.calm = calm;
  }

  CompletableFuture<Long> call(GuideRpc.Async guide, long op, int stop, SimHost server) {
    long number = op * STOPS + stop;
    long left = CallContext.current().remaining().toNanos();
    Entry caller = journal.call(op);
    String session = (caller == null ? "" : caller.session() + ", ") + "callback of op " + op;
    Entry entry = journal.called(number, session, server, CallKind.TOUR, left, false);
    CompletableFuture<Long> answered;
    try {
      answered = guide.stop(number).toCompletableFuture();
    } catch (RuntimeException e) {
      answered = CompletableFuture.failedFuture(e);
    }
    return answered.whenComplete(
        (result, failure) -> {
          boolean right = failure != null || result == WorksHandler.answer(number);
          journal.ended(entry, right, failure, true);
        });
  }

  /** A handler was interrupted: in a run where nothing goes wrong, for its deadline alone. */
  void interrupted(long op, CallContext call) {
    Entry entry = journal.call(op);
    if (entry != null && calm) {
      journal.interrupted(entry);
    }
  }
}
