package io.verbena.simulation;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.StreamEntry;
import io.verbena.simulation.contract.Item;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.plan.Step.StreamEnding;
import io.verbena.simulation.time.Strand;
import io.verbena.simulation.world.SimHost;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A publisher of a simulated program, which sends as its plan says. */
final class StreamSource implements Flow.Publisher<Item>, Flow.Subscription {
  private final RunContext run;
  private final StreamEntry entry;
  private final Step.Stream step;
  private final StreamEnding ending;
  private final SimHost host;
  private Flow.@Nullable Subscriber<? super Item> subscriber;
  private long demand;
  private boolean running;
  private boolean over;

  StreamSource(
      RunContext run, StreamEntry entry, Step.Stream step, StreamEnding ending, SimHost host) {
    this.run = run;
    this.entry = entry;
    this.step = step;
    this.ending = ending;
    this.host = host;
    run.streams.isSentBy(entry, host);
  }

  /** Returns the number that determines the content of an item. */
  static long content(long op, int index) {
    return op * 1_000 + index;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super Item> to) {
    subscriber = to;
    run.streams.subscribed(entry);
    to.onSubscribe(this);
    if (step.items() == 0) {
      endIfDue(to);
    }
  }

  @Override
  public void request(long number) {
    run.streams.asked(entry, number);
    demand = demand + number < 0 ? Long.MAX_VALUE : demand + number;
    if (running || over) {
      return;
    }
    running = true;
    if (step.pace() == 0) {
      send();
    } else {
      Strand _ = run.scheduler.start(host, "publisher", this::sendSlowly);
    }
  }

  @Override
  public void cancel() {
    over = true;
    run.streams.unsubscribed(entry);
  }

  private void send() {
    while (demand > 0 && !over) {
      sendOne();
    }
    running = false;
  }

  private void sendSlowly() {
    try {
      while (demand > 0 && !over) {
        run.scheduler.strand().sleep(step.pace());
        if (!over) {
          sendOne();
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("a publisher was interrupted", e);
    }
    running = false;
  }

  private void sendOne() {
    Flow.Subscriber<? super Item> to = subscriber;
    if (to == null) {
      throw new IllegalStateException("requested before it is subscribed to");
    }
    if (!endIfDue(to)) {
      int index = entry.sent();
      demand--;
      run.streams.sent(entry);
      byte[] value = Content.bytes(content(entry.op(), index), step.itemBytes());
      to.onNext(new Item(entry.op(), index, MemorySegment.ofArray(value)));
      if (entry.op() % 2 == 0 || index + 1 == step.items()) {
        endIfDue(to); // with the last item, or on the request for the next
      }
    }
  }

  /** Ends the stream if it is due. Returns whether the publisher sends no more. */
  private boolean endIfDue(Flow.Subscriber<? super Item> to) {
    if (over) {
      return true;
    }
    boolean early = entry.sent() >= step.until();
    if (ending == StreamEnding.FAILED && early) {
      over = true;
      run.streams.published(entry, true);
      to.onError(
          entry.op() % 2 == 0
              ? new RpcException(RpcStatus.PERMISSION_DENIED, "it fails as it was told")
              : new IllegalStateException("it fails as it was told"));
    } else if (ending == StreamEnding.SILENT && early) {
      over = true;
      run.streams.silent(entry);
    } else if (entry.sent() == step.items()) {
      over = true;
      run.streams.published(entry, false);
      to.onComplete();
    }
    return over;
  }
}
