package io.verbena.simulation;

import io.verbena.api.CallOptions;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.core.VerbenaClient;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Entry;
import io.verbena.simulation.check.Journal;
import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.Cut;
import io.verbena.simulation.plan.Step.Stage;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.time.Strand;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes calls, and tells the journal of them. */
final class Calls {
  private final Scheduler scheduler;
  private final Agenda agenda;
  private final Journal journal;
  private final Memory memory;
  private final Trace trace;
  private final Cuts cuts;
  private final long defaultTimeout;

  Calls(
      Scheduler scheduler,
      Journal journal,
      Memory memory,
      Trace trace,
      Cuts cuts,
      long defaultTimeout) {
    this.scheduler = scheduler;
    this.agenda = scheduler.agenda();
    this.journal = journal;
    this.memory = memory;
    this.trace = trace;
    this.cuts = cuts;
    this.defaultTimeout = defaultTimeout;
  }

  void start(SimSession session, Call call) {
    long timeout = call.timeout() > 0 ? call.timeout() : defaultTimeout;
    boolean ordered = call.kind() == CallKind.COUNT || call.kind() == CallKind.COUNT_NOW;
    Entry entry =
        journal.called(call.op(), session.name(), session.client(), call.kind(), timeout, ordered);
    WorksRpc.Async works =
        call.timeout() > 0
            ? WorksRpc.async(
                session.session(), CallOptions.timeout(Duration.ofNanos(call.timeout())))
            : session.works();
    switch (call.kind()) {
      case COUNT -> follow(session, call, entry, works.count(call.op()), right(call));
      case COUNT_NOW -> follow(session, call, entry, works.countNow(call.op()), right(call));
      case ECHO -> echo(session, call, entry, works, Content.bytes(call.op(), (int) call.amount()));
      case TEXT -> echo(session, call, entry, works, Content.text(call.op(), (int) call.amount()));
      case NOTE -> note(session, call, entry, works);
      case TOUR ->
          follow(session, call, entry, works.tour(call.op(), (int) call.amount()), right(call));
      case WORK -> follow(session, call, entry, works.work(call.op(), call.amount()), right(call));
      case FAIL_DECLARED ->
          follow(session, call, entry, works.fail(call.op(), true), never -> false);
      case FAIL -> follow(session, call, entry, works.fail(call.op(), false), never -> false);
      case READ -> read(session, call, entry, works);
      case STREAM -> throw new IllegalArgumentException("streams are made elsewhere: " + call);
    }
  }

  private void echo(
      SimSession session, Call call, Entry entry, WorksRpc.Async works, byte[] value) {
    CompletableFuture<byte[]> echoed = works.echo(call.op(), value).toCompletableFuture();
    follow(session, call, entry, echoed, same -> Arrays.equals(same, value));
    cut(session, call, entry, echoed, stage -> isAt(stage, session, entry));
  }

  private static Predicate<Long> right(Call call) {
    return result -> result == WorksHandler.answer(call.op());
  }

  /** Its caller waits until it has left. */
  private void note(SimSession session, Call call, Entry entry, WorksRpc.Async works) {
    Strand _ =
        scheduler.startBlocking(
            session.client(), "caller", () -> note(session, call.op(), entry, works));
  }

  private void note(SimSession session, long op, Entry entry, WorksRpc.Async works) {
    RuntimeException[] failure = new RuntimeException[1];
    Strand strand = scheduler.running();
    if (strand == null) {
      throw new IllegalStateException("a caller that waits runs on a strand");
    }
    strand.block(
        () -> {
          try {
            works.note(op);
          } catch (RuntimeException e) {
            failure[0] = e;
          }
        });
    if (failure[0] == null) {
      journal.sent(entry);
    } else {
      journal.ended(entry, true, failure[0], true);
    }
  }

  private void read(SimSession session, Call call, Entry entry, WorksRpc.Async works) {
    MemorySegment into = memory.allocate(call.amount());
    CompletionStage<Received> answered =
        works.read(call.op(), (int) call.amount(), Landing.of(into));
    follow(
        session,
        call,
        entry,
        answered,
        received ->
            received.length() == call.amount() && Content.difference(into, call.op(), 0) < 0,
        () -> memory.isBack(into, call.op(), session.name()));
    cut(
        session,
        call,
        entry,
        answered.toCompletableFuture(),
        stage ->
            stage == Stage.OFFERED
                ? entry.isExecuted()
                : Memory.hasLanded(into, stage, call.amount()));
  }

  /** Of values beside a message no more is seen: they leave, or all of them are there. */
  private static boolean isAt(Stage stage, SimSession session, Entry entry) {
    VerbenaClient client = session.client().client();
    return stage == Stage.OFFERED
        ? client != null && client.bulkStats().sending() > 0
        : entry.isExecuted();
  }

  private void cut(
      SimSession session,
      Call call,
      Entry entry,
      CompletableFuture<?> future,
      Predicate<Stage> reached) {
    Cut cut = call.cut();
    if (cut == null) {
      return;
    }
    String name = call.kind() + " op " + call.op();
    cuts.watch(
        cut,
        session.client(),
        agenda.now() + call.timeout(),
        name,
        new Cuts.Cuttable() {
          @Override
          public boolean isOver() {
            return future.isDone();
          }

          @Override
          public boolean isAt(Stage stage) {
            return reached.test(stage);
          }

          @Override
          public void cancel(boolean there) {
            journal.cancels(entry);
            future.cancel(true);
          }
        });
  }

  private <T> void follow(
      SimSession session, Call call, Entry entry, CompletionStage<T> answered, Predicate<T> right) {
    follow(session, call, entry, answered, right, () -> {});
  }

  private <T> void follow(
      SimSession session,
      Call call,
      Entry entry,
      CompletionStage<T> answered,
      Predicate<T> right,
      Runnable after) {
    CompletableFuture<T> future = answered.toCompletableFuture();
    boolean bounded = call.kind() != CallKind.READ;
    CompletableFuture<T> _ =
        future.whenComplete(
            (result, failure) -> {
              trace.say(
                  () ->
                      "%s: %s op %d: %s"
                          .formatted(session, call.kind(), call.op(), words(failure)));
              boolean isRight = failure != null || (result != null && right.test(result));
              journal.ended(entry, isRight, failure, bounded);
              after.run();
            });
    if (call.cancelAfter() >= 0) {
      Agenda.Entry _ =
          agenda.after(
              call.cancelAfter(),
              () -> {
                if (!future.isDone()) {
                  journal.cancels(entry);
                  future.cancel(true);
                }
              });
    }
  }

  private static String words(@Nullable Throwable failure) {
    return failure == null ? "answered" : String.valueOf(failure.getMessage());
  }
}
