package io.verbena.simulation;

import io.verbena.api.Session;
import io.verbena.simulation.check.Content;
import io.verbena.simulation.check.StreamEntry;
import io.verbena.simulation.contract.Item;
import io.verbena.simulation.plan.Step;
import io.verbena.simulation.plan.Step.StreamEnding;
import io.verbena.simulation.time.Strand;
import io.verbena.simulation.world.SimHost;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A subscriber of a simulated program. It requests as its plan says, and checks the items. */
final class StreamTaker implements Flow.Subscriber<Item> {
  private final RunContext run;
  private final StreamEntry entry;
  private final Step.Stream step;
  private final StreamEnding ending;
  private final SimHost host;
  private final Session session;
  private final boolean bounded;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;
  private long requested;

  /**
   * Makes a subscriber without a stream.
   *
   * @param bounded whether the deadline ends the stream at once
   */
  StreamTaker(
      RunContext run,
      StreamEntry entry,
      Step.Stream step,
      StreamEnding ending,
      SimHost host,
      Session session,
      boolean bounded) {
    this.run = run;
    this.entry = entry;
    this.step = step;
    this.ending = ending;
    this.host = host;
    this.session = session;
    this.bounded = bounded;
    run.streams.isTakenBy(entry, host, path());
  }

  private String path() {
    return session.path().link();
  }

  /** Returns a future that completes when the subscriber takes no more items, for any reason. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Returns a future that completes when the stream has ended for this subscriber. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  private void end() {
    ended.complete(null);
    done.complete(null);
  }

  /** Cancels the stream, if it has not ended. */
  void cancel() {
    if (entry.isTaken()) {
      return;
    }
    run.streams.cancelled(entry, path());
    Flow.Subscription from = subscription;
    if (from != null) {
      from.cancel();
    }
    end();
  }

  @Override
  public void onSubscribe(Flow.Subscription to) {
    subscription = to;
    ask();
  }

  private void ask() {
    boolean leaves = ending == StreamEnding.LEFT;
    long number = leaves ? Math.min(step.ask(), step.until() - requested) : step.ask();
    Flow.Subscription from = subscription;
    if (number > 0 && from != null && !entry.isTaken()) {
      requested = requested + number < 0 ? Long.MAX_VALUE : requested + number;
      run.streams.requested(entry, number);
      from.request(number);
    } else if (leaves && !entry.isTaken()) {
      run.streams.left(entry);
      done.complete(null);
    }
  }

  @Override
  public void onNext(Item item) {
    long content = StreamSource.content(entry.op(), item.index());
    long length = item.value().byteSize();
    boolean whole = item.op() == entry.op() && length == step.itemBytes();
    whole = whole && Content.difference(item.value(), content, 0) < 0;
    run.streams.received(entry, item.index(), whole, length);
    if (ending == StreamEnding.CANCELLED && entry.received() >= step.until()) {
      cancel();
    } else if (entry.received() == requested) {
      if (step.rest() == 0) {
        ask();
      } else {
        Strand _ = run.scheduler.start(host, "subscriber", this::askLater);
      }
    }
  }

  private void askLater() {
    try {
      run.scheduler.strand().sleep(step.rest());
    } catch (InterruptedException e) {
      throw new IllegalStateException("a subscriber was interrupted", e);
    }
    ask();
  }

  @Override
  public void onError(Throwable failure) {
    run.streams.ended(entry, failure, path(), bounded);
    end();
  }

  @Override
  public void onComplete() {
    run.streams.ended(entry, null, path(), false);
    end();
  }
}
