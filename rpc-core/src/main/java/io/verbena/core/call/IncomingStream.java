package io.verbena.core.call;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireIn;
import io.verbena.core.NanoClock;
import io.verbena.core.log.ThrottledLog;
import io.verbena.core.loop.Timers;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A stream at its receiver: asks the peer for what its one subscriber has requested, and hands it
 * on one by one on a handler's thread. Safe for any thread.
 */
final class IncomingStream<T> implements Flow.Publisher<T>, Flow.Subscription {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(IncomingStream.class, "subscribers that threw");
  private static final Flow.Subscription NONE =
      new Flow.Subscription() {
        @Override
        public void request(long number) {}

        @Override
        public void cancel() {}
      };

  private final SessionStreams streams;
  private final MethodDescriptor<?> method;
  private final long id;
  private final Function<WireIn, T> reader;
  private final long deadlineNanos;

  private final ArrayDeque<T> arrived = new ArrayDeque<>();
  private Flow.@Nullable Subscriber<? super T> subscriber;
  private boolean started;
  private long requested;
  private boolean asking;
  private boolean delivering;

  /** No more items come. */
  private boolean ended;

  /** The subscriber hears nothing more. */
  private boolean over;

  private @Nullable Throwable failure;
  private @Nullable Runnable whenOver;
  private long timer = Timers.NONE;

  /** A stream that a message has named. On the loop. */
  IncomingStream(
      SessionStreams streams,
      MethodDescriptor<?> method,
      long id,
      Function<WireIn, T> reader,
      long deadlineNanos) {
    this.streams = streams;
    this.method = method;
    this.id = id;
    this.reader = reader;
    this.deadlineNanos = deadlineNanos;
    if (deadlineNanos - streams.host().loop().now() < NanoClock.LONGEST_NANOS / 2) {
      timer = streams.host().loop().timers().schedule(deadlineNanos, now -> expire());
    }
  }

  long id() {
    return id;
  }

  String name() {
    return method.fullName();
  }

  Function<WireIn, T> reader() {
    return reader;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Runs an action once when no more items come or are taken; at once if that is so. */
  void whenOver(Runnable action) {
    synchronized (this) {
      if (!over && !ended) {
        whenOver = action;
        return;
      }
    }
    action.run();
  }

  // ---- the subscriber ----

  @Override
  public void subscribe(Flow.Subscriber<? super T> taker) {
    Objects.requireNonNull(taker);
    boolean first;
    synchronized (this) {
      first = subscriber == null;
      if (first) {
        subscriber = taker;
      }
    }
    if (!first) {
      taker.onSubscribe(NONE);
      taker.onError(new IllegalStateException("the stream of " + method + " has its subscriber"));
      return;
    }
    taker.onSubscribe(this);
    synchronized (this) {
      started = true;
    }
    goOn();
  }

  @Override
  public void request(long number) {
    synchronized (this) {
      if (number > 0) {
        requested = requested + number < 0 ? Long.MAX_VALUE : requested + number;
      }
    }
    if (number <= 0) {
      end(new IllegalArgumentException(number + " items requested"));
      return;
    }
    goOn();
  }

  @Override
  public void cancel() {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      arrived.clear();
    }
    end(null);
  }

  // ---- the peer ----

  /** Items have arrived. On the loop. */
  void arrived(SessionStreams.Batch<T> batch) {
    synchronized (this) {
      asking = false;
      if (!over && !ended) {
        arrived.addAll(batch.items());
      }
    }
    if (batch.last()) {
      finish();
    }
    goOn();
  }

  /** What was asked for does not arrive. */
  void failed(Throwable thrown) {
    synchronized (this) {
      asking = false;
    }
    end(thrown instanceof RpcException e ? ofCall(e) : thrown);
  }

  /** Its call was executed, whatever became of the question. */
  private RpcException ofCall(RpcException e) {
    return failure(e.status(), String.valueOf(e.getMessage()), e).withMetadata(e.metadata());
  }

  private RpcException failure(RpcStatus status, String why, @Nullable RpcException cause) {
    return new RpcException(
        status,
        "the stream of " + method + " failed: " + why,
        CallPhase.REPLIED,
        Execution.EXECUTED,
        method.idempotent(),
        cause == null ? null : cause.remoteType(),
        cause);
  }

  private void expire() {
    timer = Timers.NONE;
    end(failure(RpcStatus.DEADLINE_EXCEEDED, "the deadline of its call passed", null));
  }

  /** Ends it from this side, or for the peer's failure. */
  private void end(@Nullable Throwable why) {
    synchronized (this) {
      if (ended) {
        return;
      }
      failure = why;
    }
    finish();
    streams.stop(this);
    goOn();
  }

  private void finish() {
    Runnable action;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      action = whenOver;
      whenOver = null;
    }
    streams.host().loop().execute(() -> streams.host().loop().timers().cancel(timer));
    if (action != null) {
      action.run();
    }
  }

  // ---- handing on ----

  private void goOn() {
    int ask = 0;
    boolean deliver = false;
    synchronized (this) {
      if (!asking && !ended && arrived.size() <= SessionStreams.MOST / 2) {
        ask = (int) Math.min(requested, SessionStreams.MOST) - arrived.size();
        asking = ask > 0;
      }
      if (started && !delivering && hasNews()) {
        delivering = true;
        deliver = true;
      }
    }
    if (ask > 0) {
      streams.ask(this, ask);
    }
    if (deliver) {
      streams.run(this::deliver);
    }
  }

  private boolean hasNews() {
    return !over && (arrived.isEmpty() ? ended : requested > 0);
  }

  private void deliver() {
    Flow.Subscriber<? super T> taker = Objects.requireNonNull(subscriber);
    try {
      T item;
      while ((item = next()) != null) {
        taker.onNext(item);
        goOn();
      }
      if (isOverNow()) {
        Throwable why = failure;
        if (why == null) {
          taker.onComplete();
        } else {
          taker.onError(why);
        }
      }
    } catch (Throwable e) { // users' code
      BROKEN.warn("The subscriber of the stream of {} threw", method, e);
      cancel();
    }
  }

  /** Returns the next item to hand on; without one, says that nobody hands on any more. */
  private synchronized @Nullable T next() {
    T item = over || requested == 0 ? null : arrived.poll();
    if (item == null) {
      delivering = hasNews();
    } else if (requested != Long.MAX_VALUE) {
      requested--;
    }
    return item;
  }

  private synchronized boolean isOverNow() {
    boolean now = delivering && hasNews();
    over |= now;
    return now;
  }
}
