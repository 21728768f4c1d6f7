package io.verbena.core.session;

import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.codec.MetadataBlock;
import io.verbena.codec.WireDecoder;
import io.verbena.core.call.OnewayCounters.What;
import io.verbena.core.call.PendingCall;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.DeadlineWatch;
import io.verbena.core.sequence.Message;
import io.verbena.link.runtime.ThrottledLog;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls that this end has under way. A call whose caller gave up stays here until the peer has
 * answered it, and keeps its place in the window as long.
 */
final class OutgoingCalls {
  private static final ThrottledLog REFUSED =
      ThrottledLog.of(OutgoingCalls.class, "one-way calls that peers dropped");
  private static final ThrottledLog UNKNOWN =
      ThrottledLog.of(OutgoingCalls.class, "one-way calls under way to peers that were lost");
  private static final ThrottledLog UNSENT =
      ThrottledLog.of(OutgoingCalls.class, "one-way calls that did not leave");

  private final SessionImpl session;
  private final CallTable calls = new CallTable();
  private final DeadlineWatch deadlines;
  private long lastId;
  private int onewaysUnderWay;

  OutgoingCalls(SessionImpl session) {
    this.session = session;
    this.deadlines = new DeadlineWatch(session.loop(), calls::all);
  }

  boolean isEmpty() {
    return calls.size() == 0;
  }

  int size() {
    return calls.size();
  }

  /**
   * Returns how many places of the window are taken: one-way calls have theirs till they are done.
   */
  int underWay() {
    return calls.size() + onewaysUnderWay;
  }

  void start(PendingCall<?> call) {
    call.started(++lastId);
    calls.add(lastId, call);
    if (call.isTimed()) {
      deadlines.add(call.deadlineNanos());
    }
  }

  /** A call's caller gave up: by its deadline, or by cancelling. */
  void abandoned(PendingCall<?> call) {
    if (calls.get(call.id()) != call) {
      return; // answered meanwhile
    }
    if (call.wasHandedOver()) {
      call.close(); // its place alone is left of it: no deadline cancels it a second time
      session.transfers().calls().abandoned(call.id());
      session.enqueue(ControlFrame.message(FrameKind.CANCEL, call.id(), out -> {}));
    } else {
      forget(call);
    }
  }

  private void forget(PendingCall<?> call) {
    calls.remove(call);
    call.close();
    if (call.hasLargeArguments()) {
      session.transfers().calls().abandoned(call.id()); // if the peer did not wait for them
    }
    session.calls().window().release();
    if (session.peerDrains() && call.method().streaming()) {
      session.calls().streamEnded(); // if it was answered with none
    }
  }

  /** Returns whether there are calls that may be answered with a stream. */
  boolean awaitStreams() {
    return calls.all().stream().anyMatch(call -> call.wasHandedOver() && call.method().streaming());
  }

  void onewaySent(PendingCall<?> call) {
    calls.remove(call);
    call.close();
    call.settle(null);
    onewaysUnderWay++;
  }

  @Nullable String onewaysDone(WireDecoder in) {
    int done = in.readVarInt();
    int refused = in.readVarInt();
    if (done <= 0 || done > onewaysUnderWay || refused < 0 || refused > done) {
      return done + " one-way calls done, " + refused + " refused, of " + onewaysUnderWay;
    }
    onewaysUnderWay -= done;
    session.calls().window().release(done);
    if (refused > 0) {
      session.calls().oneways().add(What.REFUSED_BY_PEER, refused);
      REFUSED.warn(
          "{} one-way calls were dropped by the peer of {}: {}",
          refused,
          session.name(),
          IncomingFrames.brief(in.readString()));
    }
    return null;
  }

  @Nullable String reply(Message message) {
    long callId = message.callId();
    PendingCall<?> call = calls.get(callId);
    if (call == null || !call.awaitsReply()) {
      return "a reply to call " + callId + ", which was not made";
    }
    ByteBuffer buffer = message.buffer();
    int from = message.from();
    int to = message.to();
    int end = MetadataBlock.start(message.has(FrameHeader.FLAG_METADATA), buffer, from, to);
    Metadata metadata = MetadataBlock.read(buffer, end, to);
    if (end - from > LongMessages.LONGEST_SHORT) {
      LongMessages.Body body = session.incomingFrames().longMessages().keep(message, end);
      if (body == null) {
        String why = session.memory().assemblies().refusal(end - from, "maxAssemblyBytes");
        replyIncomplete(callId, RpcStatus.RESOURCE_EXHAUSTED, why);
      } else {
        readBeside(call, message.kind(), metadata, body);
      }
      return null;
    }
    forget(call);
    WireDecoder in = session.decoder();
    in.start(buffer, from, end, session.limits().maxDepth());
    Object read = call.read(message.kind(), metadata, in);
    message.release(); // first: whoever takes the result may want memory at once
    call.reply(metadata, read);
    return null;
  }

  /** A call whose reply is read keeps its place and its deadline as long. */
  private void readBeside(
      PendingCall<?> call, FrameKind kind, Metadata metadata, LongMessages.Body body) {
    call.answered();
    @Nullable Object[] read = new Object[1];
    session
        .incomingFrames()
        .longMessages()
        .read(
            body,
            () -> call.isGivenUp() && !call.method().streaming(),
            in -> read[0] = call.read(kind, metadata, in),
            thrown -> {
              body.free().run();
              if (calls.get(call.id()) == call) {
                forget(call);
              }
              call.reply(metadata, thrown == null ? read[0] : call.unreadable(thrown));
            });
  }

  /** Returns whether a call was sent and is not answered yet. */
  boolean mayBeAnswered(long callId) {
    PendingCall<?> call = calls.get(callId);
    return call != null && call.awaitsReply();
  }

  /** Returns whether the caller of a call that is not answered yet waits for it no more. */
  boolean isGivenUp(long callId) {
    PendingCall<?> call = calls.get(callId);
    return call != null && call.isGivenUp();
  }

  /** Returns what the large results of a call live in; null: the heap. */
  @Nullable Arena resultsIn(long callId) {
    PendingCall<?> call = calls.get(callId);
    return call == null ? null : call.resultsIn();
  }

  void replyIncomplete(long callId, RpcStatus status, String why) {
    PendingCall<?> call = calls.get(callId);
    if (call != null) {
      forget(call);
      call.replyIncomplete(status, why);
    }
  }

  /** The peer is gone with what it had taken; what it had not can go to the next. */
  void peerLost(String reason) {
    forgetOneways(reason);
    fail(PendingCall::awaitsReply, RpcStatus.UNAVAILABLE, reason);
    List.copyOf(calls.all()).stream()
        .filter(call -> !call.wasHandedOver()) // or its reply is read
        .forEach(PendingCall::waitsForNextPeer);
  }

  /** Returns whether there are one-way calls of which the peer has not said that it has them. */
  boolean hasOnewaysToArrive() {
    boolean leaving =
        !session.peerDrains() && calls.all().stream().anyMatch(call -> call.method().oneway());
    return leaving || (onewaysUnderWay > 0 && !session.outbox().isEmpty());
  }

  /** The session is about to end: calls that have an answer do not wait for it any more. */
  void giveUpOthers(RpcStatus status, String reason) {
    List<PendingCall<?>> others =
        calls.all().stream().filter(call -> !call.method().oneway() && !call.isGivenUp()).toList();
    for (PendingCall<?> call : others) {
      if (calls.get(call.id()) == call) {
        call.fail(status, reason);
        abandoned(call);
      }
    }
  }

  private void forgetOneways(String reason) {
    int forgotten = onewaysUnderWay;
    if (forgotten > 0) {
      onewaysUnderWay = 0;
      session.calls().window().release(forgotten);
      session.calls().oneways().add(What.UNKNOWN, forgotten);
      UNKNOWN.warn(
          "{} one-way calls had left by {}, and may have been executed or not: {}",
          forgotten,
          session.name(),
          reason);
    }
  }

  /** A one-way call will not leave, and nobody waits to hear that. */
  void onewayUnsent(RpcException failure) {
    session.calls().oneways().add(What.UNSENT, 1);
    UNSENT.warn("A one-way call by {} was dropped: {}", session.name(), failure.getMessage());
  }

  /** There is no link to be had: what waits for one fails. */
  void failWaiting(RpcStatus status, String reason) {
    fail(call -> !call.wasHandedOver(), status, reason);
  }

  /** The peer drains: what it takes no more fails. */
  void failRefused(RpcStatus status, String reason) {
    fail(call -> !call.wasHandedOver() && !session.drain().lets(call), status, reason);
  }

  void end(RpcStatus status, String reason) {
    if (status == RpcStatus.CANCELLED && session.outbox().isEmpty()) {
      // Closed on this side: what has arrived is executed, and this end hears no more of it.
      session.calls().window().release(onewaysUnderWay);
      onewaysUnderWay = 0;
    }
    forgetOneways(reason);
    fail(call -> true, status, reason);
    deadlines.stop();
  }

  private void fail(Predicate<PendingCall<?>> which, RpcStatus status, String reason) {
    // Completing a call runs its caller's code, which may start or cancel others: take a copy
    // first.
    List<PendingCall<?>> failing = calls.all().stream().filter(which).toList();
    for (PendingCall<?> call : failing) {
      if (calls.get(call.id()) == call) {
        call.fail(status, reason);
        forget(call);
      }
    }
  }
}
