package io.verbena.core.stream;

import io.verbena.api.CallOptions;
import io.verbena.api.CallPhase;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ResultReader;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.core.call.CallStreams;
import io.verbena.core.call.Calls;
import io.verbena.core.call.OutgoingCalls;
import io.verbena.core.call.PendingCall;
import io.verbena.core.call.ServerCall;
import io.verbena.core.call.SessionCaller;
import io.verbena.core.contract.OwnService;
import io.verbena.core.session.Participant;
import io.verbena.link.runtime.NanoClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one session. The receiver requests the next items by a call, whose answer waits
 * until there are some. So streams use the frames, windows and large values of calls.
 *
 * <pre>
 *   IncomingStream ──── next(id, most) ───→ OutgoingStream ──request(n)──→ the user's publisher
 *                  ←── item … item, end? ──                ←──onNext──────
 *                  ──── next(id, 0) ──────→                ──cancel──────→
 * </pre>
 *
 * <p>The ids are random, because a client's session may meet another server. Safe for use by any
 * thread.
 */
public final class SessionStreams implements Participant, CallStreams.Maker {
  /** The most items of one request, and the most that wait for a subscriber. */
  static final int MOST = 256;

  private static final String NAME = OwnService.STREAMS;
  private static final int NEXT_ID = 1;
  private static final MethodDescriptor<Void> NEXT = next("next", in -> null);
  private static final ServiceDescriptor<SessionStreams> SERVICE =
      new ServiceDescriptor<>(
          SessionStreams.class,
          NAME,
          new Schema(
              NAME,
              List.of(
                  new Schema.Method(
                      NEXT_ID,
                      "next",
                      false,
                      List.of(
                          new Schema.Member("id", "long", false),
                          new Schema.Member("most", "int", false)),
                      "items",
                      List.of())),
              List.of()),
          List.of(NEXT),
          caller -> {
            throw new UnsupportedOperationException(NAME + " has no stub");
          });

  final Calls calls;
  private final SessionCaller caller;
  private final Map<Long, OutgoingStream<?>> outgoing = new ConcurrentHashMap<>();

  /** The most bytes of the answers to all requests under way. */
  final AtomicLong bytesAhead = new AtomicLong();

  /** The streams that have not ended. */
  private final Set<IncomingStream.Place> incoming = ConcurrentHashMap.newKeySet();

  /** Null before the first stream of the session, when the peer does not know the service. */
  private volatile @Nullable SplittableRandom ids;

  public SessionStreams(Calls calls, OutgoingCalls outgoingCalls) {
    this.calls = calls;
    this.caller = new SessionCaller(outgoingCalls, CallOptions.DEFAULT); // without interceptors
  }

  @Override
  public CallStreams of(MethodDescriptor<?> method, long deadlineNanos, boolean ofArguments) {
    if (ids == null) {
      begin();
    }
    return new StreamsOfCall(this, method, deadlineNanos, ofArguments);
  }

  private synchronized void begin() {
    if (ids == null) {
      calls.session.serve(new ServiceBinding(SERVICE, (method, in, call) -> next(in, call)));
      calls.session.caller(SERVICE, CallOptions.DEFAULT); // to compare it with the peer's service
      ids = new SplittableRandom(calls.loop.clock().nanoTime()); // last: others check only this
    }
  }

  @Override
  public void drop(@Nullable Object result) {
    if (result instanceof IncomingStream<?> stream) {
      stream.cancel();
    }
  }

  private static <R> MethodDescriptor<R> next(String name, ResultReader<R> reader) {
    return new MethodDescriptor<>(NAME, NEXT_ID, name, false, false, false, 0, reader, null);
  }

  void run(Runnable users) {
    calls.runUsers(users);
  }

  /** Ends the streams. No requests and no items follow. */
  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    List.copyOf(outgoing.values()).forEach(OutgoingStream::peerLost);
    List<IncomingStream.Place> left = new ArrayList<>(incoming);
    left.sort(Comparator.comparingLong(place -> place.id));
    for (IncomingStream.Place place : left) {
      IncomingStream<?> stream = place.stream();
      if (stream != null) {
        stream.peerLost(status, reason);
      }
    }
  }

  // ---- streams that this end sends ----

  <T> OutgoingStream<T> add(
      MethodDescriptor<?> method,
      Flow.Publisher<T> items,
      BiConsumer<WireOut, T> item,
      boolean ofResult,
      BooleanSupplier mayBeAskedFor) {
    if (outgoing.size() >= calls.session.limits().maxCalls()) {
      if (ofResult) { // the publisher is cancelled, so that it can close its files
        new OutgoingStream<>(this, 0, method, items, item, true, mayBeAskedFor).cancel();
      }
      throw new WireException(
          "the session already sends %d streams: end some, or raise maxCalls"
              .formatted(outgoing.size()));
    }
    OutgoingStream<T> stream;
    do {
      stream = new OutgoingStream<>(this, nextId(), method, items, item, ofResult, mayBeAskedFor);
    } while (outgoing.putIfAbsent(stream.id, stream) != null);
    calls.counters.streamsSent(1);
    return stream;
  }

  private long nextId() {
    SplittableRandom random = Objects.requireNonNull(ids);
    synchronized (random) {
      return random.nextLong();
    }
  }

  void forget(OutgoingStream<?> stream) {
    if (outgoing.remove(stream.id, stream)) {
      calls.counters.streamsSent(-1);
    }
  }

  private void next(WireIn in, IncomingCall call) {
    long id = in.readVarLong();
    int most = in.readVarInt();
    int bytes = in.atEnd() ? OutgoingStream.ALONE : in.readVarInt();
    if (most < 0 || most > MOST) {
      throw new WireException(most + " items requested at once, more than " + MOST);
    }
    if (bytes < 0) {
      throw new WireException(bytes + " bytes of items requested");
    }
    OutgoingStream<?> stream = outgoing.get(id);
    if (stream != null && most > 0) {
      stream.asked((ServerCall) call, most, bytes);
      return;
    }
    if (stream != null) {
      stream.cancel();
    }
    call.handle(
        reply -> {
          if (most > 0) {
            throw new RpcException(
                RpcStatus.UNAVAILABLE,
                "the stream has ended or its sender is gone; a result ends unless its items are requested within %d s"
                    .formatted(OutgoingStream.FIRST_QUESTION_SECONDS));
          }
        });
  }

  // ---- streams that this end receives ----

  /**
   * The items of one message, in order.
   *
   * @param last whether no item follows
   * @param bytes their size in the message and beside it
   */
  record Batch<T>(List<T> items, boolean last, long bytes) {}

  <T> IncomingStream<T> incoming(
      MethodDescriptor<?> method, long id, Function<WireIn, T> item, long deadlineNanos) {
    IncomingStream<T> stream = new IncomingStream<>(this, method, id, item, deadlineNanos);
    incoming.add(stream.place);
    return stream;
  }

  /** Returns whether streams of the peer have not ended. */
  @Override
  public boolean asksDrainingPeer() {
    return !incoming.isEmpty();
  }

  /** Removes an ended stream. The peer has been told of the end. */
  void forget(IncomingStream.Place stream) {
    incoming.remove(stream);
    calls.streamEnded();
  }

  /**
   * Returns whether a stream may have several requests under way. They leave half of the window to
   * others.
   */
  boolean maySeveral() {
    return calls.session.pathCosts().answersSeveral() && calls.window.isHalfFree();
  }

  /** Requests items of a stream of the peer. On the loop. */
  <T> void ask(IncomingStream<T> stream, RequestsAhead.Question<T> question) {
    MethodDescriptor<Batch<T>> method =
        next("next of " + stream.name(), in -> read(in, stream.reader, question));
    ArgumentWriter arguments =
        out -> {
          out.writeVarLong(stream.id);
          out.writeVarInt(question.items);
          if (question.bytes > 0) {
            out.writeVarInt(question.bytes);
          }
        };
    if (stream.mayWait(question)) {
      call(
          method,
          arguments,
          stream.deadlineNanos,
          call -> calls.loop.runOrExecute(() -> stream.requestBy(question, call)),
          failure -> stream.answered(question, null, failure));
      return;
    }
    try {
      stream.requestBy(question, caller.beginOwn(method, arguments, false, stream.deadlineNanos));
    } catch (RpcException e) {
      stream.asksLess(question);
    }
  }

  private static <T> Batch<T> read(
      WireIn in, Function<WireIn, T> item, RequestsAhead.Question<T> question) {
    WireDecoder message = (WireDecoder) in;
    long bytes = message.remaining() + message.bytesBeside();
    List<T> items = new ArrayList<>();
    while (in.readBoolean()) {
      if (items.size() == question.items) {
        throw new WireException("more items than the " + question.items + " requested");
      }
      items.add(item.apply(in));
    }
    boolean last = in.readBoolean();
    if (items.isEmpty() && !last && question.bytes == 0) {
      throw new WireException("no items");
    }
    return new Batch<>(items, last, bytes);
  }

  /**
   * Tells the peer that a stream of its is no longer read. The message waits for a lost link and a
   * full window, as long as there is a session.
   */
  void stop(IncomingStream.Place stream) {
    long never = calls.loop.clock().nanoTime() + NanoClock.LONGEST_NANOS;
    MethodDescriptor<Void> method = next("end of " + stream.name, in -> null);
    call(
        method,
        out -> {
          out.writeVarLong(stream.id);
          out.writeVarInt(0);
        },
        never,
        begun -> {},
        failure -> {}); // then the peer is gone with its end of the stream
  }

  /** Makes a call. If the window is full, a thread waits for room. */
  private <R> void call(
      MethodDescriptor<R> method,
      ArgumentWriter arguments,
      long deadline,
      Consumer<PendingCall<R>> begun,
      Consumer<Throwable> failed) {
    try {
      begun.accept(caller.beginOwn(method, arguments, false, deadline));
    } catch (RpcException e) {
      if (e.status() != RpcStatus.RESOURCE_EXHAUSTED || e.phase() != CallPhase.QUEUED) {
        failed.accept(e);
        return;
      }
      calls.runWaiting(
          () -> begun.accept(caller.beginOwn(method, arguments, true, deadline)), failed);
    }
  }
}
