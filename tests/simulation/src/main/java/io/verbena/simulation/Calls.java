package io.verbena.simulation;

import io.verbena.api.CallOptions;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.core.VerbenaClient;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Entry;
import io.verbena.simulation.contract.Works;
import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.plan.Step.Call;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.Chain;
import io.verbena.simulation.plan.Step.Stage;
import io.verbena.simulation.time.Strand;
import io.verbena.simulation.world.SimHost;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Makes calls, and records them in the journal. */
final class Calls {
  private final RunContext run;
  private final Cuts cuts;

  /** The processes of the chains that have calls to make. */
  private final List<SimHost> chained = new ArrayList<>();

  private record Made(SimSession session, Call call, Entry entry) {}

  Calls(RunContext run, Cuts cuts) {
    this.run = run;
    this.cuts = cuts;
  }

  void start(SimSession session, Call call) {
    long op = call.op();
    int amount = (int) call.amount();
    long timeout = call.timeout() > 0 ? call.timeout() : run.timeout;
    boolean ordered = call.kind() == CallKind.COUNT || call.kind() == CallKind.COUNT_NOW;
    Entry entry =
        run.journal.called(op, session.name(), session.client(), call.kind(), timeout, ordered);
    Made made = new Made(session, call, entry);
    WorksRpc.Async works =
        call.timeout() > 0
            ? WorksRpc.async(
                session.session(), CallOptions.timeout(Duration.ofNanos(call.timeout())))
            : session.works();
    Predicate<Long> right = result -> result == Content.answer(op);
    switch (call.kind()) {
      case COUNT -> follow(made, works.count(op), right);
      case COUNT_NOW -> follow(made, works.countNow(op), right);
      case ECHO -> echo(made, works, Content.bytes(op, amount));
      case TEXT -> echo(made, works, Content.text(op, amount));
      case NOTE -> note(made, works);
      case TOUR -> follow(made, works.tour(op, amount), right);
      case WORK -> follow(made, works.work(op, call.amount()), right);
      case FAIL_DECLARED -> follow(made, works.fail(op, true), never -> false);
      case FAIL -> follow(made, works.fail(op, false), never -> false);
      case READ -> read(made, works);
      case STREAM -> throw new IllegalArgumentException("streams are made elsewhere: " + call);
    }
  }

  private void echo(Made made, WorksRpc.Async works, byte[] value) {
    CompletableFuture<byte[]> echoed = works.echo(made.call.op(), value).toCompletableFuture();
    follow(made, echoed, same -> Arrays.equals(same, value));
    cut(made, echoed, stage -> isAt(stage, made));
  }

  /** Makes a one-way call. Its caller waits until it has left. */
  private void note(Made made, WorksRpc.Async works) {
    Strand _ =
        run.scheduler.startBlocking(
            made.session.client(), "caller", () -> note(made.call.op(), made.entry, works));
  }

  private void note(long op, Entry entry, WorksRpc.Async works) {
    RuntimeException[] failure = new RuntimeException[1];
    run.scheduler
        .strand()
        .block(
            () -> {
              try {
                works.note(op);
              } catch (RuntimeException e) {
                failure[0] = e;
              }
            });
    if (failure[0] == null) {
      run.journal.sent(entry);
    } else {
      run.journal.ended(entry, true, failure[0], true);
    }
  }

  /** Makes calls one after the other, on a thread that waits for each of them. */
  void start(SimSession session, Chain chain) {
    Works works =
        chain.timeout() > 0
            ? WorksRpc.client(
                session.session(), CallOptions.timeout(Duration.ofNanos(chain.timeout())))
            : WorksRpc.client(session.session());
    long timeout = chain.timeout() > 0 ? chain.timeout() : run.timeout;
    Entry first = made(session, chain, 0, timeout);
    SimHost client = session.client();
    chained.add(client);
    Strand _ =
        run.scheduler.startBlocking(
            client,
            "caller",
            () -> {
              Entry entry = first;
              for (int i = 0; ; entry = made(session, chain, i, timeout)) {
                make(works, entry, i);
                if (++i == chain.calls() || !pause(chain.gap())) {
                  chained.remove(client);
                  return;
                }
              }
            });
  }

  /** Returns the number of chains that have calls to make. */
  int chains() {
    return (int) chained.stream().filter(client -> !client.hasEnded()).count();
  }

  private Entry made(SimSession session, Chain chain, int number, long timeout) {
    CallKind kind = number % 3 == 0 ? CallKind.COUNT_NOW : CallKind.COUNT;
    return run.journal.called(
        chain.op() + number, session.name(), session.client(), kind, timeout, false);
  }

  private void make(Works works, Entry entry, int number) {
    long op = entry.op();
    RuntimeException[] failure = new RuntimeException[1];
    long[] result = new long[1];
    run.scheduler
        .strand()
        .block(
            () -> {
              try {
                result[0] = number % 3 == 0 ? works.countNow(op) : works.count(op);
              } catch (RuntimeException e) {
                failure[0] = e;
              }
            });
    run.journal.ended(
        entry, failure[0] != null || result[0] == Content.answer(op), failure[0], true);
  }

  private boolean pause(long nanos) {
    try {
      run.scheduler.strand().sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      return false; // the process is killed
    }
  }

  private void read(Made made, WorksRpc.Async works) {
    Call call = made.call;
    MemorySegment into = run.memory.allocate(call.amount());
    CompletableFuture<Received> answered =
        works.read(call.op(), (int) call.amount(), Landing.of(into)).toCompletableFuture();
    follow(
        made,
        answered,
        received ->
            received.length() == call.amount() && Content.difference(into, call.op(), 0) < 0,
        () -> run.memory.isBack(into, call.op(), made.session.name()));
    cut(
        made,
        answered,
        stage ->
            stage == Stage.OFFERED
                ? made.entry.isExecuted()
                : Memory.hasLanded(into, stage, call.amount()));
  }

  /** Values beside a message show only two stages: they are offered, or all of them are there. */
  private static boolean isAt(Stage stage, Made made) {
    VerbenaClient client = made.session.client().client();
    return stage == Stage.OFFERED
        ? client != null && client.bulkStats().sending() > 0
        : made.entry.isExecuted();
  }

  private void cut(Made made, CompletableFuture<?> future, Predicate<Stage> reached) {
    Call call = made.call;
    cuts.watch(
        call.cut(),
        made.session.client(),
        call.timeout(),
        call.kind() + " op " + call.op(),
        future,
        reached,
        there -> cancel(made, future));
  }

  private void cancel(Made made, CompletableFuture<?> future) {
    if (!future.isDone()) {
      run.journal.cancels(made.entry);
      future.cancel(true);
    }
  }

  private <T> void follow(Made made, CompletionStage<T> answered, Predicate<T> right) {
    follow(made, answered, right, () -> {});
  }

  private <T> void follow(
      Made made, CompletionStage<T> answered, Predicate<T> right, Runnable after) {
    Call call = made.call;
    CompletableFuture<T> future = answered.toCompletableFuture();
    boolean bounded = call.kind() != CallKind.READ;
    CompletableFuture<T> _ =
        future.whenComplete(
            (result, failure) -> {
              Strand runs = run.scheduler.running();
              if (runs != null && runs.mayBlock()) {
                run.journal.broken(
                    "callers run no code of others",
                    made.session.name(),
                    call.op(),
                    "its callback ran on the thread of a caller");
              }
              run.trace.say(
                  () ->
                      "%s: %s op %d: %s"
                          .formatted(
                              made.session,
                              call.kind(),
                              call.op(),
                              failure == null ? "answered" : failure.getMessage()));
              boolean isRight = failure != null || (result != null && right.test(result));
              run.journal.ended(made.entry, isRight, failure, bounded);
              after.run();
            });
    run.later(call.cancelAfter(), () -> cancel(made, future));
  }
}
