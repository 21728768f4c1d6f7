package io.verbena.core.call;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.core.bulk.CallTransfers;
import io.verbena.core.bulk.OutgoingParts;
import io.verbena.core.codec.Parts;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Command;
import io.verbena.core.loop.Timers;
import io.verbena.core.memory.Slot;
import io.verbena.core.sequence.Outgoing;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call on its caller's side, and the future that the caller holds. One object from start to end:
 * it is its own command, message and timer, because a call should cost one allocation.
 *
 * <p>The future may be touched by any thread; all else belongs to the session's event loop once the
 * call has been handed over.
 */
public final class PendingCall<R> extends CompletableFuture<R>
    implements Outgoing, Command, Timers.Timer {
  private static final long NOT_NUMBERED = 0;

  private final CallHost host;
  private final MethodDescriptor<R> method;
  private final int timeoutMillis;
  private @Nullable Slot slot;
  private long id;
  private long sequence = NOT_NUMBERED;
  private long timer = Timers.NONE;
  private boolean handedOver;

  /** The large arguments beside its message; null where there are none. */
  private final @Nullable OutgoingParts arguments;

  /** Null where no landing waits for the result: small calls carry one reference for it. */
  private final @Nullable Awaited awaited;

  /** A call's landing, and what is known of the object that goes there. */
  private static final class Awaited {
    final Landing landing;
    final CompletableFuture<Void> landingFree = new CompletableFuture<>();
    CallTransfers.@Nullable AwaitedAnswer answer;
    @Nullable Exception failure;

    Awaited(Landing landing) {
      this.landing = landing;
    }
  }

  /**
   * A call whose message is encoded; its slot knows the deadline.
   *
   * @param landing where its result goes; null for a result in its reply
   */
  PendingCall(
      CallHost host,
      MethodDescriptor<R> method,
      Slot slot,
      long timeoutNanos,
      @Nullable Landing landing) {
    this.host = host;
    this.method = method;
    this.slot = slot;
    this.arguments = (OutgoingParts) slot.parts();
    this.awaited = landing == null ? null : new Awaited(landing);
    this.timeoutMillis = (int) Math.min(Integer.MAX_VALUE, timeoutNanos / 1_000_000);
  }

  /** Returns the method called. */
  public MethodDescriptor<R> method() {
    return method;
  }

  /** Returns the number that the session gave this call. */
  public long id() {
    return id;
  }

  /** Returns whether the call's message was given to the outbox and not withdrawn. */
  public boolean wasHandedOver() {
    return handedOver;
  }

  /** Starts the call on its session's loop. */
  @Override
  public void run() {
    host.start(this);
  }

  /** The session has taken the call and numbers it. */
  public void started(long id) {
    this.id = id;
    Slot message = slot;
    if (message == null) {
      throw new IllegalStateException(this + " has no message");
    }
    FrameHeader.writeCallId(message.content(), id);
    if (awaited != null) {
      awaited.answer = host.awaitAnswer(this, awaited.landing);
    }
    timer = host.loop().timers().schedule(message.deadlineNanos(), this);
  }

  @Override
  public @Nullable Slot takeSlot() {
    Slot message = slot;
    slot = null;
    if (message != null && !method.oneway() && isDone()) {
      message.release(); // cancelled before its turn: the loop has yet to hear of it
      return null;
    }
    handedOver = message != null;
    return message;
  }

  @Override
  public void numbered(long sequence) {
    this.sequence = sequence;
    if (method.oneway()) {
      host.onewaySent(this);
    }
  }

  @Override
  public void sendParts(Parts parts) {
    host.sendParts(id, method, true, (OutgoingParts) parts);
  }

  @Override
  public boolean outlivesPeer() {
    return true;
  }

  @Override
  public void tooLong(int length, int limit) {
    handedOver = false;
    fail(
        RpcStatus.RESOURCE_EXHAUSTED,
        "its arguments take %d bytes and the peer takes %d: raise maxMessageBytes there"
            .formatted(length, limit));
    host.abandoned(this);
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    if (!isDone()) {
      fail(RpcStatus.DEADLINE_EXCEEDED, "its deadline of " + timeoutMillis + " ms passed");
    }
    host.abandoned(this);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (cancelled) {
      host.loop()
          .execute(
              () -> {
                host.abandoned(this);
                giveUpAnswer(RpcStatus.CANCELLED, "its call was cancelled");
              });
    }
    return cancelled;
  }

  /** Returns whether some of its arguments travel beside its message. */
  public boolean hasLargeArguments() {
    return arguments != null;
  }

  /** Waits until nothing is read from the caller's memory any more. */
  void awaitArgumentsFree() {
    if (arguments != null) {
      arguments.awaitFree();
    }
  }

  /** Waits until nothing is written into the call's landing any more. */
  void awaitLandingFree() {
    if (awaited != null) {
      awaited.landingFree.join();
    }
  }

  /** The object that the call is about has arrived. */
  @SuppressWarnings("unchecked") // a call with a landing results in what was received there
  public void received(Received object) {
    landingIsFree();
    if (!complete((R) object)) {
      object.close(); // its caller gave up meanwhile
    }
  }

  /** The object that the call is about will not arrive, and nothing is written any more. */
  public void answerFailed(RpcStatus status, String why) {
    Exception known = awaited == null ? null : awaited.failure;
    if (known == null) {
      known = failure(status, why);
    }
    landingIsFree();
    completeExceptionally(known);
    host.loop().execute(() -> host.abandoned(this));
  }

  private void tellLandingFree() {
    if (awaited != null) {
      awaited.landingFree.complete(null);
    }
  }

  private void landingIsFree() {
    tellLandingFree();
    host.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }

  private void giveUpAnswer(RpcStatus status, String why) {
    if (awaited != null && awaited.answer != null) {
      awaited.answer.giveUp(status, why);
    } else {
      tellLandingFree();
    }
  }

  /** Ends the call in an error: with a landing, once nothing is written there any more. */
  private void end(Exception error) {
    if (awaited == null || awaited.answer == null) {
      tellLandingFree();
      completeExceptionally(error);
    } else if (!awaited.landingFree.isDone()) {
      awaited.failure = awaited.failure == null ? error : awaited.failure;
      giveUpAnswer(RpcStatus.CANCELLED, "its call failed");
    }
  }

  /** Lets go of the timer, and of the message if it never left. */
  public void close() {
    if (awaited == null || awaited.landingFree.isDone()) {
      host.loop().timers().cancel(timer);
      timer = Timers.NONE;
    }
    Slot message = slot;
    slot = null;
    if (message != null) {
      message.release();
    }
  }

  /** The reply has arrived: completes the future with what it says. */
  public void reply(FrameKind kind, WireDecoder in) {
    try {
      switch (kind) {
        case RESULT -> result(in);
        case DECLARED_ERROR -> end(readDeclared(in));
        default -> end(readFailure(in));
      }
    } catch (WireException e) {
      replyIsMalformed(String.valueOf(e.getMessage()));
    } catch (Throwable e) {
      // A type of the user's own that refuses what the peer sent: this call ends, not its session.
      replyIsMalformed(e.toString());
    }
  }

  private void result(WireDecoder in) {
    CallTransfers.AwaitedAnswer answer = awaited == null ? null : awaited.answer;
    if (answer == null) {
      complete(method.result().read(in));
    } else if (!answer.isOnItsWay()) {
      replyIsMalformed("it names an object that was not offered");
    }
  }

  private void replyIsMalformed(String why) {
    end(
        exception(
            RpcStatus.PROTOCOL_ERROR,
            "its reply does not decode: " + why,
            CallPhase.REPLIED,
            Execution.EXECUTED,
            null));
  }

  /** The reply was too large for the memory there is. */
  public void replyDropped(int length) {
    end(
        exception(
            RpcStatus.RESOURCE_EXHAUSTED,
            "its reply of %d bytes found no memory: raise maxAssemblyBytes".formatted(length),
            CallPhase.REPLIED,
            Execution.EXECUTED,
            null));
  }

  /** What its reply left out did not arrive. */
  public void replyIncomplete(RpcStatus status, String why) {
    end(exception(status, "its reply: " + why, CallPhase.REPLIED, Execution.EXECUTED, null));
  }

  private Exception readDeclared(WireDecoder in) {
    int index = in.readVarInt();
    Exception declared = method.errors() == null ? null : method.errors().read(index, in);
    if (declared == null) {
      throw new WireException(method.fullName() + " declares no exception " + index);
    }
    return declared;
  }

  private RpcException readFailure(WireDecoder in) {
    RpcStatus status = RpcStatus.ofCode(in.readByte());
    Execution execution = Execution.ofCode(in.readByte());
    String type = in.readString();
    return exception(
        status, in.readString(), CallPhase.REPLIED, execution, type.isEmpty() ? null : type);
  }

  /** Fails the call; phase and certainty follow from how far it came. */
  public void fail(RpcStatus status, String why) {
    end(failure(status, why));
  }

  private RpcException failure(RpcStatus status, String why) {
    CallPhase phase = phase();
    Execution execution = phase == CallPhase.QUEUED ? Execution.NOT_EXECUTED : Execution.UNKNOWN;
    return exception(status, why, phase, execution, null);
  }

  private CallPhase phase() {
    if (!handedOver) {
      return CallPhase.QUEUED;
    }
    boolean acknowledged = sequence != NOT_NUMBERED && sequence <= host.lastAcknowledged();
    return acknowledged ? CallPhase.RECEIVED : CallPhase.SENT;
  }

  private RpcException exception(
      RpcStatus status,
      String why,
      CallPhase phase,
      Execution execution,
      @Nullable String remoteType) {
    String message =
        "%s failed %s: %s: %s".formatted(method.fullName(), phase.words(), status, why);
    return new RpcException(
        status, message, phase, execution, method.idempotent(), remoteType, null);
  }
}
