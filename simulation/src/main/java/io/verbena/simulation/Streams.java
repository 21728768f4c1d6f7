package io.verbena.simulation;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.simulation.check.Entry;
import io.verbena.simulation.check.Journal;
import io.verbena.simulation.check.StreamBook;
import io.verbena.simulation.check.StreamEntry;
import io.verbena.simulation.contract.GuideRpc;
import io.verbena.simulation.contract.Item;
import io.verbena.simulation.contract.WorksRpc;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.plan.Step.StreamEnding;
import io.verbena.simulation.time.Agenda;
import io.verbena.simulation.time.Scheduler;
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
  /** So that no call that a server makes has the number of another; its tours have others. */
  private static final long BACK = 1_000_000;

  /** A call without a deadline. */
  private static final long NEVER = Long.MAX_VALUE / 4;

  private final Scheduler scheduler;
  private final Journal journal;
  private final StreamBook book;
  private final Callbacks callbacks;
  private final Trace trace;
  private final long defaultTimeout;
  private final boolean bounded;
  private final Map<Long, Step.Stream> asked = new HashMap<>();
  private final Map<Long, Made> made = new HashMap<>();

  /** As a program that may request more: nobody else need hear of the end. */
  private final List<StreamTaker> takers = new ArrayList<>();

  /** Who makes a call: its end of a session. */
  private record End(Session session, SimHost host, String name) {}

  /** A call, and its streams. */
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

  /**
   * A run's streams.
   *
   * @param bounded hosts have few threads for handlers: who is told does not hear at once
   */
  Streams(
      Scheduler scheduler,
      Journal journal,
      StreamBook book,
      Callbacks callbacks,
      Trace trace,
      long defaultTimeout,
      boolean bounded) {
    this.scheduler = scheduler;
    this.journal = journal;
    this.book = book;
    this.callbacks = callbacks;
    this.trace = trace;
    this.defaultTimeout = defaultTimeout;
    this.bounded = bounded;
  }

  // ---- callers ----

  void start(SimSession session, Step.Stream step) {
    if (!step.kind().isBack()) {
      make(new End(session.session(), session.client(), session.name()), step, step.op());
      return;
    }
    asked.put(step.op(), step);
    SimHost client = session.client();
    Entry entry = called(step.op(), session.name(), defaultTimeout, client);
    CompletableFuture<Void> _ =
        session
            .works()
            .streamBack(step.op())
            .toCompletableFuture()
            .whenComplete((result, failure) -> journal.ended(entry, true, failure, true));
  }

  /** A server was asked to make one. */
  void back(long op, Session session, SimHost server) {
    Step.Stream step = asked.get(op);
    Entry caller = journal.call(op);
    if (step != null && caller != null) {
      End end = new End(session, server, caller.session() + ", stream back");
      // On a strand of its own: no call around it gives it a deadline.
      Strand _ = scheduler.start(server, "caller", () -> make(end, step, op * BACK));
    }
  }

  private Entry called(long op, String session, long timeout, SimHost host) {
    return journal.called(op, session, host, CallKind.STREAM, timeout, false);
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
            step.kind().hasArguments() ? book.made(call, step.kind(), true) : null,
            answers ? book.made(call, step.kind(), false) : null);
    made.put(number, one);
    Stubs stubs = Stubs.of(caller, back, options);
    StreamEntry arguments = one.arguments();
    StreamEntry returned = one.answers();
    if (arguments != null && returned != null) {
      book.endsWith(arguments, returned);
    }
    if (arguments == null) {
      subscribe(one, stubs.watch().apply(number));
      return;
    }
    StreamEnding ending = answers ? step.argumentsEnding() : step.ending();
    StreamSource source = new StreamSource(scheduler, book, arguments, step, ending, caller.host());
    if (answers) {
      subscribe(one, stubs.exchange().apply(number, source));
    } else {
      CompletableFuture<Long> answered =
          stubs.collect().apply(number, source).toCompletableFuture();
      follow(one, answered, result -> result == WorksHandler.answer(number));
      CompletableFuture<Long> _ = answered.whenComplete((result, failure) -> one.over(book));
      cancelLater(one, answered, null);
    }
  }

  private <T> void follow(Made one, CompletableFuture<T> answered, Predicate<T> right) {
    CompletableFuture<T> _ =
        answered.whenComplete(
            (result, failure) -> {
              trace.say(
                  () -> "%s op %d: %s".formatted(one.step().kind(), one.call().op(), failure));
              boolean isRight = failure != null || (result != null && right.test(result));
              journal.ended(one.call(), isRight, failure, true);
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
                one.over(book);
              } else if (step.ending() != StreamEnding.IGNORED) {
                StreamEntry answers = Objects.requireNonNull(one.answers());
                SimHost host = one.caller().host();
                taker[0] = taker(answers, step, step.ending(), host, one.caller().session());
                CompletableFuture<Void> _ = taker[0].ended().thenRun(() -> one.over(book));
                items.subscribe(taker[0]);
              }
            });
    cancelLater(one, answered, taker);
  }

  private StreamTaker taker(
      StreamEntry entry, Step.Stream step, StreamEnding ending, SimHost host, Session session) {
    StreamTaker taker =
        new StreamTaker(scheduler, book, entry, step, ending, host, session, atOnce(entry, step));
    takers.add(taker);
    return taker;
  }

  /** Returns whether a deadline ends a stream at once: the caller's own, where it has threads. */
  private boolean atOnce(StreamEntry entry, Step.Stream step) {
    return !bounded && step.timeout() > 0 && step.rest() == 0 && !entry.isOfArguments();
  }

  /** Cancels the stream that a call has returned, or the call. */
  private void cancelLater(
      Made one, CompletableFuture<?> answered, StreamTaker @Nullable [] taker) {
    if (one.step().cancelAfter() < 0) {
      return;
    }
    SimHost host = one.caller().host();
    Agenda.Entry _ =
        scheduler
            .agenda()
            .after(
                one.step().cancelAfter(),
                () -> {
                  Strand _ = scheduler.start(host, "canceller", () -> cancel(one, answered, taker));
                });
  }

  private void cancel(Made one, CompletableFuture<?> answered, StreamTaker @Nullable [] taker) {
    if (!answered.isDone()) {
      journal.cancels(one.call());
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
    return new StreamSource(scheduler, book, answers, one.step(), one.step().ending(), host);
  }

  Flow.Publisher<Item> exchange(
      long op, Flow.Publisher<Item> items, CallContext call, SimHost host) {
    Made one = made(op);
    StreamEntry arguments = Objects.requireNonNull(one.arguments());
    items.subscribe(
        taker(arguments, one.step(), one.step().argumentsEnding(), host, call.session()));
    return answer(op, host);
  }

  long collect(long op, Flow.Publisher<Item> items, CallContext call, SimHost host) {
    Made one = made(op);
    StreamEntry arguments = Objects.requireNonNull(one.arguments());
    StreamTaker taker = taker(arguments, one.step(), one.step().ending(), host, call.session());
    items.subscribe(taker);
    Strand mine = Objects.requireNonNull(scheduler.running());
    try {
      mine.awaitDone(taker.done());
    } catch (InterruptedException e) {
      callbacks.interrupted(op, call);
      throw new IllegalStateException("interrupted while it collects", e);
    }
    return WorksHandler.answer(op);
  }
}
