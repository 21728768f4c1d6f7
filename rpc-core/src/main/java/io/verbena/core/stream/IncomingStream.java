package io.verbena.core.stream;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.CountedItems;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireIn;
import io.verbena.core.call.PendingCall;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's end of a stream. It asks the peer for the items that its only subscriber has
 * requested, and passes them on one by one on a handler's thread. Safe for use by any thread.
 */
final class IncomingStream<T> implements Flow.Publisher<T>, CountedItems {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(IncomingStream.class, "subscribers that threw");

  private static final String PASSED = "the deadline of its call passed";

  private static final Flow.Subscription NONE =
      new Flow.Subscription() {
        @Override
        public void request(long number) {}

        @Override
        public void cancel() {}
      };

  private final SessionStreams streams;
  private final MethodDescriptor<?> method;
  final long id;
  final Function<WireIn, T> reader;
  final long deadlineNanos;

  private final HeldItems<T> items;
  final Place place;
  private Flow.@Nullable Subscriber<? super T> subscriber;
  private boolean started;
  private long requested;
  private boolean asking;
  private @Nullable PendingCall<?> question;
  private boolean delivering;

  /** Whether the subscriber reports the items that it has used. */
  private boolean keptLater;

  /** Whether the subscriber receives nothing more. */
  private boolean over;

  /** Whether the loop has run since the last check. */
  private volatile boolean loopRan = true;

  private long timer = Timers.NONE;

  /**
   * The entry of a stream in its session. It does not keep the stream reachable. When the stream is
   * unreachable, the entry releases the rest.
   */
  static final class Place implements Runnable {
    private final WeakReference<IncomingStream<?>> stream;
    private final SessionStreams streams;
    final long id;
    final String name;
    private final HeldItems<?> items;

    /** Whether no more items arrive. */
    private boolean ended;

    /** The failure; null if all items arrived. */
    private @Nullable Throwable failure;

    private @Nullable Runnable whenOver;

    private Place(IncomingStream<?> stream) {
      this.stream = new WeakReference<>(stream);
      this.streams = stream.streams;
      this.id = stream.id;
      this.name = stream.name();
      this.items = stream.items;
    }

    /** Returns the stream; null if it is no longer reachable. */
    @Nullable IncomingStream<?> stream() {
      return stream.get();
    }

    /** Returns whether this is the failure that the subscriber received. */
    boolean hasFailedBy(Throwable thrown) {
      return thrown == failure; // read by the thread that received it
    }

    /** Ends an unreachable stream. On the cleaner's thread. */
    @Override
    public void run() {
      items.clear();
      if (!ended) {
        runWhenOver();
        streams.stop(this);
        streams.forget(this);
      }
    }

    private void runWhenOver() {
      Runnable action;
      synchronized (this) {
        action = whenOver;
        whenOver = null;
      }
      if (action != null) {
        action.run();
      }
    }
  }

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
    this.items = new HeldItems<>(streams.host.session.memory().assemblies);
    this.place = new Place(this);
    EventLoop loop = streams.host.loop;
    loop.whenUnreachable(this, place);
    if (loop.isOwner()) {
      startTimer();
    } else {
      loop.execute(this::startTimer);
    }
  }

  private void startTimer() {
    EventLoop loop = streams.host.loop;
    if (deadlineNanos - loop.now() < NanoClock.LONGEST_NANOS / 2) {
      timer =
          loop.timers()
              .schedule(
                  deadlineNanos, now -> end(failure(RpcStatus.DEADLINE_EXCEEDED, PASSED, null)));
    }
  }

  String name() {
    return method.fullName();
  }

  /**
   * Runs an action once, when no more items arrive or are taken. Runs it at once if that is so
   * already.
   */
  void whenOver(Runnable action) {
    synchronized (this) {
      if (!over && !place.ended) {
        place.whenOver = action;
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
      taker.onError(
          new IllegalStateException(
              "the stream of "
                  + method
                  + " already has a subscriber: call the method again for another stream"));
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
      items.clear();
    }
    end(null);
  }

  @Override
  public void used(int number) {
    boolean freed;
    synchronized (this) {
      keptLater = true;
      freed = items.used(number);
    }
    if (freed) {
      goOn();
    }
  }

  @Override
  public void checkMayWait() {
    if (streams.host.loop.isNotToWait()) {
      throw new IllegalStateException(
          "the stream of "
              + method
              + ": a wait for items would block the event loop, in a nonBlocking handler or a"
              + " callback of an async call. Subscribe to the publisher there.");
    }
  }

  @Override
  public boolean mayTell() {
    boolean ran = loopRan;
    if (ran) {
      loopRan = false;
      streams.host.loop.execute(() -> loopRan = true);
    }
    synchronized (this) {
      return ran && !place.ended;
    }
  }

  // ---- the peer ----

  void asks(PendingCall<SessionStreams.Batch<T>> call) {
    boolean late;
    synchronized (this) {
      late = place.ended;
      question = late ? null : call;
    }
    if (late) {
      call.cancel(true);
    }
    call.whenComplete(
        (batch, thrown) -> {
          if (thrown == null) {
            arrived(batch);
          } else {
            failed(thrown);
          }
        });
  }

  private void arrived(SessionStreams.Batch<T> batch) {
    String refusal = null;
    synchronized (this) {
      asking = false;
      question = null;
      if (!over && !place.ended && !batch.items().isEmpty()) {
        refusal = items.add(batch);
      }
    }
    if (refusal != null) {
      end(failure(RpcStatus.RESOURCE_EXHAUSTED, "its items: " + refusal, null));
    } else if (batch.last() && finish(null)) {
      streams.forget(place);
    }
    goOn();
  }

  /** Handles the failure of a request for items. */
  void failed(Throwable thrown) {
    if (thrown instanceof RpcException e && e.phase() != CallPhase.REPLIED && isOfPeer(e)) {
      endHere(ofCall(e));
    } else {
      end(thrown instanceof RpcException e ? ofCall(e) : thrown);
    }
  }

  /** Returns whether the peer already knows that the stream has ended. */
  private static boolean isOfPeer(RpcException e) {
    return e.status() == RpcStatus.UNAVAILABLE || e.status() == RpcStatus.CANCELLED;
  }

  void peerLost(RpcStatus status, String why) {
    endHere(failure(status, why, null));
  }

  /**
   * Returns the failure of the call of this stream. That call was executed, whatever happened to
   * the request for items.
   */
  private RpcException ofCall(RpcException e) {
    if (e.status() == RpcStatus.DEADLINE_EXCEEDED && e.phase() != CallPhase.REPLIED) {
      return failure(e.status(), PASSED, e); // the request had the rest of the call's time
    }
    String words = String.valueOf(e.getMessage());
    int reason = words.indexOf(e.status() + ": "); // the text before it is about the request
    return failure(e.status(), reason < 0 ? words : words.substring(reason), e)
        .withMetadata(e.metadata());
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

  /** Ends the stream by this end or with a failure, and tells the peer. */
  private void end(@Nullable Throwable why) {
    PendingCall<?> unanswered;
    synchronized (this) {
      unanswered = question;
    }
    if (finish(why)) {
      if (unanswered != null) {
        unanswered.cancel(true); // it occupies the window, for which the next call may wait
      }
      streams.stop(place);
      streams.forget(place);
      goOn();
    }
  }

  private void endHere(Throwable why) {
    if (finish(why)) {
      streams.forget(place);
      goOn();
    }
  }

  /** Marks the stream as ended. Returns false if it had ended before. */
  private boolean finish(@Nullable Throwable why) {
    synchronized (this) {
      if (place.ended) {
        return false;
      }
      place.ended = true;
      place.failure = why;
      question = null;
    }
    streams.host.loop.execute(() -> streams.host.loop.timers().cancel(timer));
    place.runWhenOver();
    return true;
  }

  // ---- passing items on ----

  private void goOn() {
    int ask = 0;
    boolean deliver = false;
    synchronized (this) {
      if (!asking
          && !place.ended
          && items.waiting() <= SessionStreams.MOST / 2
          && items.mayGrow()) {
        ask = (int) Math.min(requested, SessionStreams.MOST) - items.waiting();
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
    return !over && (items.waiting() == 0 ? place.ended : requested > 0);
  }

  private void deliver() {
    Flow.Subscriber<? super T> taker = Objects.requireNonNull(subscriber);
    try {
      while (deliverNext(taker)) {
        synchronized (this) {
          if (!keptLater) {
            items.used(1);
          }
        }
        goOn();
      }
    } catch (Throwable e) { // users' code
      BROKEN.warn("The subscriber of the stream of {} threw", method, e);
      cancel();
    }
  }

  /** Passes the next item or the end on. Returns whether there was an item. */
  private boolean deliverNext(Flow.Subscriber<? super T> taker) {
    T item;
    boolean last;
    synchronized (this) { // in one step: another run may begin as soon as this one is idle
      item = over || requested == 0 ? null : items.poll();
      last = item == null && !over && place.ended && items.waiting() == 0;
      over |= last;
      delivering = item != null;
      if (item != null && requested != Long.MAX_VALUE) {
        requested--;
      }
    }
    if (item != null) {
      taker.onNext(item);
    } else if (last) {
      Throwable why = place.failure;
      if (why == null) {
        taker.onComplete();
      } else {
        taker.onError(why);
      }
    }
    return item != null;
  }
}
