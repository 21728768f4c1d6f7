package io.verbena.core.stream;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireEncoder;
import io.verbena.core.call.ServerCall;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sender's end of a stream. It subscribes to the publisher at the peer's first request, and
 * requests as many items as the peer. User code runs on handlers' threads. Safe for use by any
 * thread.
 */
final class OutgoingStream<T> implements Flow.Subscriber<T> {
  private static final ThrottledLog BROKEN =
      ThrottledLog.of(OutgoingStream.class, "streams whose publisher failed");

  private static final ThrottledLog NEVER_ASKED =
      ThrottledLog.of(OutgoingStream.class, "streams of results without a request for items");

  /** The time for the receiver of a result to request the first items. */
  static final long FIRST_QUESTION_SECONDS = 60;

  /** A batch ends after the item that reaches this size. */
  private static final int BATCH_BYTES = 32 << 10;

  /** The items to have ready before the length of any is known. */
  private static final int FIRST_READY = 16;

  /** The bytes of a request that is alone: a batch has the length of {@link #BATCH_BYTES}. */
  static final int ALONE = 0;

  /** The most requests of one stream that may wait for items. */
  private static final int MOST_QUESTIONS = 64;

  /** The encoding of the end, and of whether an item follows. */
  private static final int END_BYTES = 2;

  private final SessionStreams streams;
  final long id;
  private final MethodDescriptor<?> method;
  private final Flow.Publisher<T> publisher;
  private final BiConsumer<WireOut, T> writer;
  private final BooleanSupplier mayBeAskedFor;

  private final ArrayDeque<T> items = new ArrayDeque<>();
  private Flow.@Nullable Subscription subscription;
  private boolean subscribed;

  /**
   * Whether it belongs to a result, whose call is over. The stream of an argument may be used for
   * another attempt.
   */
  private final boolean ofResult;

  /** The items that the publisher was asked for and has not sent. */
  private long coming;

  /**
   * The items to have at once, at most: as many as fill two messages. The peer may ask for many
   * more, and then take none.
   */
  private int mostReady = FIRST_READY;

  /** The peer's requests without an answer, in their order. */
  private final ArrayDeque<Question> questions = new ArrayDeque<>();

  /** The number of items in these requests. */
  private long asked;

  private boolean answering;
  private boolean ended;
  private @Nullable Throwable failure;

  /** Whether the receiver takes no more items. */
  private boolean cancelled;

  /** The timer of the first request of a result. Only the loop uses it. */
  private long timer = Timers.NONE;

  /**
   * A request for items.
   *
   * @param bytes the most bytes of its answer, or {@link #ALONE}
   */
  private record Question(ServerCall call, int most, int bytes) {}

  OutgoingStream(
      SessionStreams streams,
      long id,
      MethodDescriptor<?> method,
      Flow.Publisher<T> publisher,
      BiConsumer<WireOut, T> writer,
      boolean ofResult,
      BooleanSupplier mayBeAskedFor) {
    this.ofResult = ofResult;
    this.mayBeAskedFor = mayBeAskedFor;
    this.streams = streams;
    this.id = id;
    this.method = method;
    this.publisher = publisher;
    this.writer = writer;
  }

  /** Ends the stream of a result unless the peer requests items in time. */
  void awaitFirstQuestion() {
    EventLoop loop = streams.calls.loop;
    loop.execute(
        () -> {
          if (isUnasked()) {
            long due = loop.now() + TimeUnit.SECONDS.toNanos(FIRST_QUESTION_SECONDS);
            timer = loop.timers().schedule(due, now -> neverAsked());
          }
        });
  }

  private synchronized boolean isUnasked() {
    return !subscribed && !cancelled;
  }

  private void neverAsked() {
    NEVER_ASKED.warn(
        "The stream of {} ended: its caller did not ask for an item within {} s",
        method,
        FIRST_QUESTION_SECONDS);
    cancel();
  }

  // ---- the peer ----

  /** Handles a request for items. On the loop. */
  void asked(ServerCall call, int number, int bytes) {
    boolean first;
    synchronized (this) {
      boolean others = answering || !questions.isEmpty();
      if (others && (bytes == ALONE || isAskedAlone() || questions.size() == MOST_QUESTIONS)) {
        call.handle(
            reply -> {
              throw new RpcException(
                  RpcStatus.INVALID_ARGUMENT,
                  method + ": too many requests for items of its stream at once");
            });
        return;
      }
      questions.add(new Question(call, number, bytes));
      asked += number;
      first = !subscribed;
      subscribed = true;
    }
    if (first) {
      streams.calls.loop.timers().cancel(timer);
    }
    call.onCancel(this::cancel);
    answerIfDue();
    if (first) {
      streams.run(this::subscribe);
    } else if (more() > 0) {
      streams.run(this::request);
    }
  }

  private boolean isAskedAlone() {
    Question waiting = questions.peek();
    return waiting != null && waiting.bytes == ALONE;
  }

  private void answerIfDue() {
    while (true) {
      Question question;
      synchronized (this) {
        if (!cancelled && (answering || (items.isEmpty() && !ended))) {
          return; // a cancelled stream may be one whose answer found no thread
        }
        question = questions.poll();
        if (question == null) {
          return;
        }
        asked -= question.most;
        answering = true;
      }
      streams.calls.loop.execute(
          () -> question.call.handle(reply -> answer(reply, question.most, question.bytes)));
    }
  }

  /** Writes the available items. On the handler's thread. */
  private void answer(Reply reply, int most, int bytes) throws Exception {
    boolean written = false;
    try {
      write(reply, most, bytes);
      written = true;
    } catch (Throwable e) {
      if (!(e instanceof RpcException told && told.isAnswer())) {
        BROKEN.warn("The publisher or an item of the stream of {} failed", method, e);
      }
      throw e;
    } finally {
      if (written) {
        goOn();
      } else {
        cancel();
      }
    }
  }

  /** Answers the next request, and fetches items for the others. */
  private void goOn() {
    boolean more;
    synchronized (this) {
      answering = false;
      more = more() > 0;
    }
    answerIfDue();
    if (more) {
      streams.run(this::request);
    }
  }

  private void write(Reply reply, int most, int bytes) throws Exception {
    checkGoesOn();
    WireEncoder out = (WireEncoder) reply.result();
    int length = 0;
    int longest = 0;
    int written = 0;
    T item;
    while (written < most && !isLong(out, bytes, longest) && (item = take()) != null) {
      try {
        out.writeBoolean(true);
        writer.accept(out, item);
        checkRoom(out);
      } catch (RuntimeException e) {
        if (written == 0) {
          throw e;
        }
        out.takeBack(length); // it may fit into the next message; earlier items are sent
        putBack(item);
        break;
      }
      if (bytes != ALONE && (out.hasLargeValues() || out.length() + END_BYTES > bytes)) {
        out.takeBack(length); // the peer will ask for it alone if it is the first
        putBack(item);
        break;
      }
      longest = Math.max(longest, out.length() - length);
      length = out.length();
      written++;
    }
    out.writeBoolean(false);
    boolean last;
    synchronized (this) {
      if (written > 0) {
        int full = bytes == ALONE ? BATCH_BYTES : bytes;
        int fitting = out.hasLargeValues() ? written : (int) ((long) full * written / length);
        mostReady = 2 * Math.max(1, fitting);
      }
      last = ended && failure == null && items.isEmpty() && !cancelled;
    }
    out.writeBoolean(last);
    if (last) {
      streams.forget(this);
    }
  }

  private static boolean isLong(WireEncoder out, int bytes, int longestItem) {
    return bytes == ALONE
        ? out.length() >= BATCH_BYTES || out.hasLargeValues()
        : out.length() + longestItem + END_BYTES > bytes;
  }

  /** Checks that the message has room for the end of a batch. */
  private void checkRoom(WireEncoder out) {
    int most = streams.calls.longestMessage();
    if (out.length() + END_BYTES > most) {
      throw new WireException(
          "an item takes %d bytes, but maxMessageBytes is %d, of which the message itself needs two"
              .formatted(out.length(), most));
    }
  }

  private synchronized void checkGoesOn() throws Exception {
    checkTaken();
    if (items.isEmpty() && failure instanceof Exception exception) {
      throw exception;
    }
    if (items.isEmpty() && failure instanceof Error error) {
      throw error;
    }
  }

  private synchronized @Nullable T take() {
    checkTaken();
    return items.poll();
  }

  private void checkTaken() {
    if (cancelled) {
      throw new RpcException(RpcStatus.CANCELLED, "the call of the stream has ended");
    }
  }

  private synchronized void putBack(T item) {
    items.addFirst(item);
  }

  /** Ends the stream, because the receiver takes no more items. */
  void cancel() {
    Flow.Subscription from;
    boolean waits;
    synchronized (this) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      waits = !subscribed;
      subscribed = true;
      items.clear();
      from = ended ? null : subscription;
    }
    streams.forget(this);
    if (waits) {
      EventLoop loop = streams.calls.loop;
      loop.execute(() -> loop.timers().cancel(timer));
    }
    if (waits && ofResult) {
      streams.run(this::subscribe); // then cancel: the publisher may hold a file
    }
    answerIfDue();
    if (from != null) {
      streams.run(from::cancel);
    }
  }

  /**
   * Handles the loss of the peer, which ends its request. An argument's stream that the peer never
   * knew stays.
   */
  void peerLost() {
    if (!mayBeAskedFor.getAsBoolean()) {
      return;
    }
    synchronized (this) {
      questions.clear();
    }
    cancel();
  }

  // ---- the publisher ----

  private void subscribe() {
    synchronized (this) {
      if (cancelled && !ofResult) {
        return;
      }
    }
    try {
      publisher.subscribe(this);
    } catch (Throwable e) { // users' code
      onError(e);
    }
  }

  /** Returns the number of items to request from the publisher, if it is positive. */
  private synchronized long more() {
    boolean none = questions.isEmpty() || ended || cancelled;
    return none ? 0 : Math.min(asked, mostReady) - items.size() - coming;
  }

  private void request() {
    Flow.Subscription from;
    long number;
    synchronized (this) {
      from = subscription;
      number = more();
      if (from == null || number <= 0) {
        return;
      }
      coming += number;
    }
    try {
      from.request(number);
    } catch (Throwable e) { // users' code
      onError(e);
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription to) {
    Objects.requireNonNull(to);
    boolean refused;
    synchronized (this) {
      refused = subscription != null || cancelled;
      if (!refused) {
        subscription = to;
      }
    }
    if (refused) {
      to.cancel();
    } else {
      request();
    }
  }

  @Override
  public void onNext(T item) {
    Objects.requireNonNull(item);
    Flow.Subscription from = null;
    synchronized (this) {
      if (ended || cancelled) {
        return;
      }
      if (coming == 0) {
        failure = new IllegalStateException("its publisher sends more items than requested");
        ended = true;
        from = subscription;
      } else {
        coming--;
        items.add(item);
      }
    }
    if (from != null) {
      from.cancel();
    }
    answerIfDue();
  }

  @Override
  public void onError(Throwable thrown) {
    end(Objects.requireNonNull(thrown));
  }

  @Override
  public void onComplete() {
    end(null);
  }

  private void end(@Nullable Throwable thrown) {
    synchronized (this) {
      if (!ended) {
        ended = true;
        failure = thrown;
      }
    }
    answerIfDue();
  }
}
