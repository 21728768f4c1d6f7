package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.call.PendingCall;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.CallFrames;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.memory.Slot;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls that this end has under way. A call whose caller gave up stays here until the peer has
 * answered it, and keeps its place in the window as long.
 */
final class OutgoingCalls {
  private final SessionCore session;
  private final CallTable calls = new CallTable();
  private long lastId;
  private int onewaysUnderWay;

  OutgoingCalls(SessionCore session) {
    this.session = session;
  }

  boolean isEmpty() {
    return calls.size() == 0;
  }

  int size() {
    return calls.size();
  }

  void start(PendingCall<?> call) {
    call.started(++lastId);
    calls.add(lastId, call);
  }

  /** Writes the time left into a request that leaves now. */
  void stampDeadline(Slot slot) {
    if (slot.deadlineNanos() != Slot.NO_DEADLINE) {
      long left = slot.deadlineNanos() - session.loop().now();
      CallFrames.remaining(slot.content(), FrameHeader.BYTES, left);
    }
  }

  /** A call's caller gave up: by its deadline, or by cancelling. */
  void abandoned(PendingCall<?> call) {
    if (calls.get(call.id()) != call) {
      return; // answered meanwhile
    }
    if (call.wasHandedOver()) {
      call.close(); // its place alone is left of it: no timer cancels it a second time
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
    session.window().release();
  }

  void onewaySent(PendingCall<?> call) {
    calls.remove(call);
    call.close();
    call.complete(null);
    onewaysUnderWay++;
  }

  @Nullable String onewaysDone(ByteBuffer buffer, int from, int to) {
    WireDecoder in = session.decoder();
    in.start(buffer, from, to, session.limits().maxDepth());
    int done = in.readVarInt();
    if (done <= 0 || done > onewaysUnderWay) {
      return done + " one-way calls done, of " + onewaysUnderWay;
    }
    onewaysUnderWay -= done;
    session.window().release(done);
    return null;
  }

  @Nullable String reply(FrameKind kind, long callId, ByteBuffer buffer, int from, int to) {
    PendingCall<?> call = calls.get(callId);
    if (call == null || !call.wasHandedOver()) {
      return "a reply to call " + callId + ", which was not made";
    }
    forget(call);
    WireDecoder in = session.decoder();
    in.start(buffer, from, to, session.limits().maxDepth());
    call.reply(kind, in);
    return null;
  }

  /** Returns whether a call was sent and is not answered yet. */
  boolean mayBeAnswered(long callId) {
    PendingCall<?> call = calls.get(callId);
    return call != null && call.wasHandedOver();
  }

  /** Returns whether the caller of a call that is not answered yet waits for it no more. */
  boolean isGivenUp(long callId) {
    PendingCall<?> call = calls.get(callId);
    return call != null && call.isDone();
  }

  void replyIncomplete(long callId, RpcStatus status, String why) {
    PendingCall<?> call = calls.get(callId);
    if (call != null) {
      forget(call);
      call.replyIncomplete(status, why);
    }
  }

  void replyDropped(long callId, int length) {
    PendingCall<?> call = calls.get(callId);
    if (call != null) {
      forget(call);
      call.replyDropped(length);
    }
  }

  /** The peer is gone with what it had taken; what it had not can go to the next. */
  void peerLost(String reason) {
    forgetOneways();
    fail(PendingCall::wasHandedOver, RpcStatus.UNAVAILABLE, reason);
  }

  private void forgetOneways() {
    int forgotten = onewaysUnderWay;
    onewaysUnderWay = 0;
    session.window().release(forgotten);
  }

  /** There is no link to be had: what waits for one fails. */
  void failWaiting(RpcStatus status, String reason) {
    fail(call -> !call.wasHandedOver(), status, reason);
  }

  void end(RpcStatus status, String reason) {
    forgetOneways();
    fail(call -> true, status, reason);
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
