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
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quota;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.ref.WeakReference;
import java.util.List;
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
  private final RequestsAhead<T> requests;
  final Place place;
  private Flow.@Nullable Subscriber<? super T> subscriber;
  private boolean started;
  private long requested;

  /** Whether the loop is about to ask for items. */
  private boolean asking;

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
    private final RequestsAhead<?> requests;

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
      this.requests = stream.requests;
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
      requests.clear();
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
    Quota.Share memory = streams.calls.session.memory().share(Memory.ASSEMBLY);
    this.items = new HeldItems<>(memory);
    this.requests = new RequestsAhead<>(memory, streams.bytesAhead);
    this.place = new Place(this);
    EventLoop loop = streams.calls.loop;
    loop.whenUnreachable(this, place);
    loop.runOrExecute(this::startTimer);
  }

  private void startTimer() {
    EventLoop loop = streams.calls.loop;
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
    if (streams.calls.loop.isNotToWait()) {
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
      streams.calls.loop.execute(() -> loopRan = true);
    }
    synchronized (this) {
      return ran && !place.ended;
    }
  }

  // ---- the peer ----

  /** Returns whether a request may wait for room, because no other is under way before it. */
  synchronized boolean mayWait(RequestsAhead.Question<T> question) {
    return requests.isFirst(question);
  }

  /** The call of a request has begun. On the loop. */
  void requestBy(RequestsAhead.Question<T> question, PendingCall<SessionStreams.Batch<T>> call) {
    boolean late;
    synchronized (this) {
      late = !requests.begun(question, call);
    }
    if (late) {
      call.cancel(true);
    }
    call.whenComplete((batch, thrown) -> answered(question, batch, thrown));
  }

  /** The session had no room for one of several requests. On the loop. */
  void asksLess(RequestsAhead.Question<T> question) {
    synchronized (this) {
      requests.notBegun(question);
    }
  }

  /** An answer may overtake others that are longer, so it waits for its turn. */
  void answered(
      RequestsAhead.Question<T> question,
      SessionStreams.@Nullable Batch<T> batch,
      @Nullable Throwable thrown) {
    synchronized (this) {
      requests.answered(question, batch, thrown);
    }
    while (takeNextAnswer()) {}
    goOn();
  }

  /** Takes the items of the next answer. Returns whether it has come. */
  private boolean takeNextAnswer() {
    RequestsAhead.Question<T> next;
    String refusal = null;
    boolean last = false;
    synchronized (this) { // in one step, so that no other thread takes a later answer before it
      next = requests.nextAnswer();
      SessionStreams.Batch<T> batch = next == null ? null : next.batch();
      if (batch != null && !over && !place.ended) {
        refusal = batch.items().isEmpty() ? null : items.add(batch);
        last = batch.last();
      }
    }
    if (next == null) {
      return false;
    }
    if (next.failure() != null) {
      failed(next.failure());
    } else if (refusal != null) {
      end(failure(RpcStatus.RESOURCE_EXHAUSTED, "its items: " + refusal, null));
    } else if (last && finish(null)) {
      streams.forget(place);
    }
    return true;
  }

  /** Handles the failure of a request for items. */
  private void failed(Throwable thrown) {
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
    List<PendingCall<?>> unanswered;
    synchronized (this) {
      unanswered = requests.clear();
    }
    if (finish(why)) {
      // They occupy the window, for which the next call may wait.
      unanswered.forEach(call -> call.cancel(true));
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
      requests.clear(); // the peer answers them all
    }
    streams.calls.loop.execute(() -> streams.calls.loop.timers().cancel(timer));
    place.runWhenOver();
    return true;
  }

  // ---- passing items on ----

  private void goOn() {
    boolean ask = false;
    boolean deliver = false;
    synchronized (this) {
      if (!asking && !place.ended && requests.mayAsk(wanted(), items)) {
        asking = true;
        ask = true;
      }
      if (started && !delivering && hasNews()) {
        delivering = true;
        deliver = true;
      }
    }
    if (ask) {
      streams.calls.loop.runOrExecute(this::ask);
    }
    if (deliver) {
      streams.run(this::deliver);
    }
  }

  /** Returns the number of items that the subscriber has requested and that are not here. */
  private long wanted() {
    return requested - items.waiting();
  }

  /** Requests items. On the loop, so that the peer gets the requests in their order. */
  private void ask() {
    boolean several = streams.maySeveral();
    RequestsAhead.Question<T> next;
    do {
      synchronized (this) {
        next = place.ended ? null : requests.next(wanted(), items, several);
        asking = next != null;
      }
      if (next != null) {
        streams.ask(this, next);
      }
    } while (next != null);
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
