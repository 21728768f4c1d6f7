package io.verbena.simulation;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Entry;
import io.verbena.simulation.check.StreamBook;
import io.verbena.simulation.check.StreamEntry;
import io.verbena.simulation.contract.GuideRpc;
import io.verbena.simulation.contract.Item;
import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.StreamEnding;
import io.verbena.simulation.time.Strand;
import io.verbena.simulation.world.SimHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes calls with streams, from both ends of a session, and handles them. */
final class Streams {
  /** Numbers of a server's calls are multiplied by this, so that they differ from all others. */
  private static final long BACK = 1_000_000;

  /** A call without a deadline. */
  private static final long NEVER = Long.MAX_VALUE / 4;

  private final RunContext run;
  private final Map<Long, Step.Stream> asked = new HashMap<>();
  private final Map<Long, Made> made = new HashMap<>();

  /** References keep subscribers alive, as in a program that may request more. */
  private final List<StreamTaker> takers = new ArrayList<>();

  /** The calling end of a session. */
  private record End(Session session, SimHost host, String name) {}

  /** A call with its streams. */
  private record Made(
      Step.Stream step,
      End caller,
      Entry call,
      @Nullable StreamEntry arguments,
      @Nullable StreamEntry answers) {
    void over(StreamBook book) {
      if (arguments != null) {
        book.over(arguments);
      }
      if (answers != null) {
        book.over(answers);
      }
    }
  }

  /** The contract's methods with streams, at either end. */
  private record Stubs(
      LongFunction<CompletionStage<Flow.Publisher<Item>>> watch,
      BiFunction<Long, Flow.Publisher<Item>, CompletionStage<Long>> collect,
      BiFunction<Long, Flow.Publisher<Item>, CompletionStage<Flow.Publisher<Item>>> exchange) {
    static Stubs of(End caller, boolean back, CallOptions options) {
      if (back) {
        GuideRpc.Async guide = GuideRpc.async(caller.session(), options);
        return new Stubs(guide::watch, guide::collect, guide::exchange);
      }
      WorksRpc.Async works = WorksRpc.async(caller.session(), options);
      return new Stubs(works::watch, works::collect, works::exchange);
    }
  }

  Streams(RunContext run) {
    this.run = run;
  }

  // ---- callers ----

  void start(SimSession session, Step.Stream step) {
    if (!step.kind().isBack()) {
      make(new End(session.session(), session.client(), session.name()), step, step.op());
      return;
    }
    asked.put(step.op(), step);
    SimHost client = session.client();
    Entry entry = called(step.op(), session.name(), run.timeout, client);
    CompletableFuture<Void> _ =
        session
            .works()
            .streamBack(step.op())
            .toCompletableFuture()
            .whenComplete((result, failure) -> run.journal.ended(entry, true, failure, true));
  }

  /** Makes a call from a server, on request of its client. */
  void back(long op, Session session, SimHost server) {
    Step.Stream step = asked.get(op);
    Entry caller = run.journal.call(op);
    if (step != null && caller != null) {
      End end = new End(session, server, caller.session() + ", stream back");
      // A separate strand is used, so that no surrounding call limits the deadline.
      Strand _ = run.scheduler.start(server, "caller", () -> make(end, step, op * BACK));
    }
  }

  private Entry called(long op, String session, long timeout, SimHost host) {
    return run.journal.called(op, session, host, CallKind.STREAM, timeout, false);
  }

  private void make(End caller, Step.Stream step, long number) {
    Entry call =
        called(number, caller.name(), step.timeout() > 0 ? step.timeout() : NEVER, caller.host());
    CallOptions options =
        step.timeout() > 0
            ? CallOptions.timeout(Duration.ofNanos(step.timeout()))
            : CallOptions.DEFAULT;
    boolean back = step.kind().isBack();
    boolean answers = step.kind().answers();
    Made one =
        new Made(
            step,
            caller,
            call,
            step.kind().hasArguments() ? run.streams.made(call, step.kind(), true) : null,
            answers ? run.streams.made(call, step.kind(), false) : null);
    made.put(number, one);
    Stubs stubs = Stubs.of(caller, back, options);
    StreamEntry arguments = one.arguments();
    StreamEntry returned = one.answers();
    if (arguments != null && returned != null) {
      run.streams.endsWith(arguments, returned);
    }
    if (arguments == null) {
      subscribe(one, stubs.watch().apply(number));
      return;
    }
    StreamEnding ending = answers ? step.argumentsEnding() : step.ending();
    StreamSource source = new StreamSource(run, arguments, step, ending, caller.host());
    if (answers) {
      subscribe(one, stubs.exchange().apply(number, source));
    } else {
      CompletableFuture<Long> answered =
          stubs.collect().apply(number, source).toCompletableFuture();
      follow(one, answered, result -> result == Content.answer(number));
      CompletableFuture<Long> _ = answered.whenComplete((result, failure) -> one.over(run.streams));
      cancelLater(one, answered, null);
    }
  }

  private <T> void follow(Made one, CompletableFuture<T> answered, Predicate<T> right) {
    CompletableFuture<T> _ =
        answered.whenComplete(
            (result, failure) -> {
              run.trace.say(
                  () -> "%s op %d: %s".formatted(one.step().kind(), one.call().op(), failure));
              boolean isRight = failure != null || (result != null && right.test(result));
              run.journal.ended(one.call(), isRight, failure, true);
            });
  }

  private void subscribe(Made one, CompletionStage<Flow.Publisher<Item>> stage) {
    CompletableFuture<Flow.Publisher<Item>> answered = stage.toCompletableFuture();
    Step.Stream step = one.step();
    StreamTaker[] taker = new StreamTaker[1];
    follow(one, answered, items -> true);
    CompletableFuture<Flow.Publisher<Item>> _ =
        answered.whenComplete(
            (items, failure) -> {
              if (failure != null) {
                one.over(run.streams);
              } else if (step.ending() != StreamEnding.IGNORED) {
                StreamEntry answers = Objects.requireNonNull(one.answers());
                SimHost host = one.caller().host();
                taker[0] = taker(answers, step, step.ending(), host, one.caller().session());
                CompletableFuture<Void> _ = taker[0].ended().thenRun(() -> one.over(run.streams));
                items.subscribe(taker[0]);
              }
            });
    cancelLater(one, answered, taker);
  }

  private StreamTaker taker(
      StreamEntry entry, Step.Stream step, StreamEnding ending, SimHost host, Session session) {
    StreamTaker taker =
        new StreamTaker(run, entry, step, ending, host, session, atOnce(entry, step));
    takers.add(taker);
    return taker;
  }

  /** Returns whether the deadline ends a stream at once, without waits for threads or requests. */
  private boolean atOnce(StreamEntry entry, Step.Stream step) {
    return !run.bounded && step.timeout() > 0 && step.rest() == 0 && !entry.isOfArguments();
  }

  /** Cancels the stream that a call has returned, or the call. */
  private void cancelLater(
      Made one, CompletableFuture<?> answered, StreamTaker @Nullable [] taker) {
    SimHost host = one.caller().host();
    run.later(
        one.step().cancelAfter(),
        () -> {
          Strand _ = run.scheduler.start(host, "canceller", () -> cancel(one, answered, taker));
        });
  }

  private void cancel(Made one, CompletableFuture<?> answered, StreamTaker @Nullable [] taker) {
    if (!answered.isDone()) {
      run.journal.cancels(one.call());
      answered.cancel(true);
    } else if (taker != null && taker[0] != null) {
      taker[0].cancel();
    }
  }

  // ---- handlers ----

  private Made made(long op) {
    Made one = made.get(op);
    if (one == null) {
      throw new IllegalStateException("nobody made this call: " + op);
    }
    return one;
  }

  Flow.Publisher<Item> answer(long op, SimHost host) {
    Made one = made(op);
    StreamEntry answers = Objects.requireNonNull(one.answers());
    return new StreamSource(run, answers, one.step(), one.step().ending(), host);
  }

  Flow.Publisher<Item> exchange(long op, Flow.Publisher<Item> items, SimHost host) {
    Made one = made(op);
    StreamEntry arguments = Objects.requireNonNull(one.arguments());
    items.subscribe(
        taker(
            arguments,
            one.step(),
            one.step().argumentsEnding(),
            host,
            CallContext.current().session()));
    return answer(op, host);
  }

  long collect(long op, Flow.Publisher<Item> items, SimHost host) {
    Made one = made(op);
    StreamEntry arguments = Objects.requireNonNull(one.arguments());
    StreamTaker taker =
        taker(arguments, one.step(), one.step().ending(), host, CallContext.current().session());
    items.subscribe(taker);
    try {
      run.scheduler.strand().awaitDone(taker.done());
    } catch (InterruptedException e) {
      run.journal.interrupted(op);
      throw new IllegalStateException("interrupted while it collects", e);
    }
    return Content.answer(op);
  }
}
