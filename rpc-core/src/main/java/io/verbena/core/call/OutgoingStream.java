package io.verbena.core.call;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireOut;
import io.verbena.core.codec.WireEncoder;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream at its sender. The publisher is subscribed to when the peer first asks, and is asked for
 * as many items as the peer. Its code runs on handlers' threads. Safe for any thread.
 */
final class OutgoingStream<T> implements Flow.Subscriber<T> {
  /** A batch ends behind the item that reaches this. */
  private static final int BATCH_BYTES = 32 << 10;

  private final SessionStreams streams;
  private final long id;
  private final MethodDescriptor<?> method;
  private final Flow.Publisher<T> publisher;
  private final BiConsumer<WireOut, T> writer;

  private final ArrayDeque<T> items = new ArrayDeque<>();
  private Flow.@Nullable Subscription subscription;
  private boolean subscribed;

  /** How many items the publisher was asked for and has yet to send. */
  private long coming;

  /** The peer's question that has no answer yet. */
  private @Nullable ServerCall question;

  private boolean answering;
  private int most;
  private boolean ended;
  private boolean cancelled;
  private @Nullable Throwable failure;

  OutgoingStream(
      SessionStreams streams,
      long id,
      MethodDescriptor<?> method,
      Flow.Publisher<T> publisher,
      BiConsumer<WireOut, T> writer) {
    this.streams = streams;
    this.id = id;
    this.method = method;
    this.publisher = publisher;
    this.writer = writer;
  }

  long id() {
    return id;
  }

  // ---- the peer ----

  /** The peer asks for items. On the loop. */
  void asked(ServerCall call, int number) {
    boolean first;
    synchronized (this) {
      if (question != null || answering) {
        call.handle(
            reply -> {
              throw new RpcException(
                  RpcStatus.INVALID_ARGUMENT, method + ": its stream is asked for twice at once");
            });
        return;
      }
      question = call;
      most = number;
      first = !subscribed;
      subscribed = true;
    }
    call.onCancel(this::cancel);
    answerIfDue();
    streams.run(first ? this::subscribe : this::request);
  }

  private void answerIfDue() {
    ServerCall call;
    synchronized (this) {
      call = question;
      if (call == null || (items.isEmpty() && !ended && !cancelled)) {
        return;
      }
      question = null;
      answering = true;
    }
    streams.host().loop().execute(() -> call.handle(this::answer));
  }

  /** Writes what there is. On the handler's thread. */
  private void answer(Reply reply) throws Exception {
    boolean written = false;
    try {
      written = write(reply);
    } finally {
      if (!written) {
        cancel();
      }
    }
  }

  private boolean write(Reply reply) throws Exception {
    checkGoesOn();
    WireEncoder out = (WireEncoder) reply.result();
    T item;
    for (int i = 0; i < most && (item = take()) != null; i++) {
      out.writeBoolean(true);
      writer.accept(out, item);
      if (out.length() >= BATCH_BYTES || out.hasParts()) {
        break;
      }
    }
    out.writeBoolean(false);
    boolean last;
    synchronized (this) {
      last = ended && failure == null && items.isEmpty();
      answering = false;
    }
    out.writeBoolean(last);
    if (last) {
      streams.forget(this);
    }
    return true;
  }

  private synchronized void checkGoesOn() throws Exception {
    if (cancelled) {
      throw new RpcException(RpcStatus.CANCELLED, "the call of the stream has ended");
    }
    if (items.isEmpty() && failure instanceof Exception exception) {
      throw exception;
    }
    if (items.isEmpty() && failure instanceof Error error) {
      throw error;
    }
  }

  private synchronized @Nullable T take() {
    return items.poll();
  }

  /** Nobody takes items any more. */
  void cancel() {
    Flow.Subscription from;
    synchronized (this) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      items.clear();
      from = ended ? null : subscription;
    }
    streams.forget(this);
    answerIfDue();
    if (from != null) {
      streams.run(from::cancel);
    }
  }

  // ---- the publisher ----

  private void subscribe() {
    try {
      publisher.subscribe(this);
    } catch (Throwable e) { // users' code
      onError(e);
    }
  }

  private void request() {
    Flow.Subscription from;
    long number;
    synchronized (this) {
      from = subscription;
      number = most - items.size() - coming;
      if (from == null || question == null || ended || cancelled || number <= 0) {
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
        failure = new IllegalStateException("its publisher sends more than it is asked for");
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
