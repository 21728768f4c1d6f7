package io.verbena.simulation;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.Entry;
import io.verbena.simulation.contract.GuideRpc;
import io.verbena.simulation.contract.Item;
import io.verbena.simulation.contract.Refused;
import io.verbena.simulation.contract.Works;
import io.verbena.simulation.plan.Step.CallKind;
import io.verbena.simulation.world.SimHost;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/** The handler of a simulated server. */
final class WorksHandler implements Works {
  /** Numbers of callbacks are multiplied by this, so that they differ from those of calls. */
  private static final long STOPS = 1_000_000;

  private final RunContext run;
  private final Moves moves;
  private final Streams streams;
  private final Supplier<SimHost> host;
  private final String incarnation;
  private long ticket;

  WorksHandler(
      RunContext run, Moves moves, Streams streams, Supplier<SimHost> host, String incarnation) {
    this.run = run;
    this.moves = moves;
    this.streams = streams;
    this.host = host;
    this.incarnation = incarnation;
  }

  private void executed(long op) {
    executed(op, host.get().handlers().currentTicket());
  }

  /** Records an execution, unless the misbehaving client made the call, with any number. */
  private void executed(long op, long place) {
    if (!isOfCulprit()) {
      run.journal.executed(op, incarnation, CallContext.current().session(), place);
    }
  }

  private boolean isOfCulprit() {
    return run.journal.isExempt(CallContext.current().session().peer());
  }

  @Override
  public long count(long op) {
    executed(op);
    return Content.answer(op);
  }

  @Override
  public long countNow(long op) {
    executed(op, ++ticket);
    return Content.answer(op);
  }

  @Override
  public byte[] echo(long op, byte[] value) {
    executed(op);
    return value;
  }

  @Override
  public void note(long op) {
    executed(op);
  }

  @Override
  public long tour(long op, int stops) {
    executed(op);
    GuideRpc.Async guide = GuideRpc.async(CallContext.current().session(), CallOptions.DEFAULT);
    try {
      for (int stop = 1; stop <= stops && !isOfCulprit(); stop++) {
        CompletableFuture<Long> answered = callBack(guide, op, stop);
        run.scheduler.strand().awaitDone(answered.handle((result, failure) -> result));
        answered.join();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted on its tour", e);
    }
    return Content.answer(op);
  }

  private CompletableFuture<Long> callBack(GuideRpc.Async guide, long op, int stop) {
    long number = op * STOPS + stop;
    long left = CallContext.current().remaining().toNanos();
    Entry caller = run.journal.call(op);
    String session = (caller == null ? "" : caller.session() + ", ") + "callback of op " + op;
    Entry entry = run.journal.called(number, session, host.get(), CallKind.TOUR, left, false);
    CompletableFuture<Long> answered;
    try {
      answered = guide.stop(number).toCompletableFuture();
    } catch (RuntimeException e) {
      answered = CompletableFuture.failedFuture(e);
    }
    return answered.whenComplete(
        (result, failure) -> {
          boolean right = failure != null || result == Content.answer(number);
          run.journal.ended(entry, right, failure, true);
        });
  }

  @Override
  public long work(long op, long nanos) {
    executed(op);
    try {
      run.scheduler.strand().sleep(nanos);
    } catch (InterruptedException e) {
      run.journal.interrupted(op);
      throw new IllegalStateException("interrupted at work", e);
    }
    return Content.answer(op);
  }

  @Override
  public long fail(long op, boolean declared) throws Refused {
    executed(op);
    if (declared) {
      throw new Refused(op);
    }
    throw new IllegalArgumentException("op " + op + " fails as it was told");
  }

  @Override
  public Received read(long op, int length, Landing into) {
    executed(op);
    byte[] bytes = Content.bytes(op, length);
    return Received.from(Source.of(MemorySegment.ofArray(bytes)));
  }

  @Override
  public ObjectRef publish(long op, int length) {
    executed(op);
    Source source = Source.of(Content.bytes(op, length));
    return CallContext.current().session().objects().publish(source, Moves.LEASE).ref();
  }

  @Override
  public void send(long op) {
    executed(op);
    moves.pushBack(op, CallContext.current().session(), host.get());
  }

  @Override
  public void take(long op, ObjectRef ref) {
    executed(op);
    moves.fetchBack(op, ref, CallContext.current().session(), host.get());
  }

  @Override
  public Flow.Publisher<Item> watch(long op) {
    executed(op);
    return streams.answer(op, host.get());
  }

  @Override
  public long collect(long op, Flow.Publisher<Item> items) {
    executed(op);
    return streams.collect(op, items, host.get());
  }

  @Override
  public Flow.Publisher<Item> exchange(long op, Flow.Publisher<Item> items) {
    executed(op);
    return streams.exchange(op, items, host.get());
  }

  @Override
  public void streamBack(long op) {
    executed(op);
    streams.back(op, CallContext.current().session(), host.get());
  }
}
