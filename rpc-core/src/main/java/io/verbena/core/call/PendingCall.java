package io.verbena.core.call;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.SessionState;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.codec.LargeValues;
import io.verbena.codec.WireDecoder;
import io.verbena.core.bulk.FencedFuture;
import io.verbena.core.contract.ContractCall;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Command;
import io.verbena.core.loop.DeadlineWatch;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.transfer.LargeValuesOut;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.lang.foreign.Arena;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call on its caller's side, and the future that the caller holds. The same object serves as
 * command and message, because a call should cost one allocation.
 *
 * <p>Any thread may use the future. Everything else belongs to the session's event loop after the
 * call has been handed over. If the holder ends the future in any way, the handler is notified.
 */
public class PendingCall<R> extends FencedFuture<R>
    implements ContractCall, Command, DeadlineWatch.Timed, Awaited<R> {
  private static final ThrottledLog UNLOADED =
      ThrottledLog.of(PendingCall.class, "calls whose reply lacks a class");
  private static final long NOT_NUMBERED = 0;

  private static final byte WITH_SENDER = 0;
  private static final byte HANDED_OVER = 1;

  /** The reply has arrived and is being read. */
  private static final byte ANSWERED = 2;

  final OutgoingCalls host;
  private final MethodDescriptor<R> method;
  private final boolean oneway;
  private final int timeoutMillis;
  private @Nullable Slot slot;

  /** The number that the session assigned. */
  long id;

  private long sequence = NOT_NUMBERED;
  private final long deadlineNanos;
  private boolean timed;

  /** A byte, because a larger field would add eight bytes to each call. */
  private byte stage = WITH_SENDER;

  /** Whether the sender of a one-way call waits until it was sent, and receives a failure. */
  private final boolean senderWaits;

  /** The large arguments beside the message; null if there are none. */
  private final @Nullable LargeValuesOut arguments;

  /**
   * Makes a call whose message is encoded. The slot has the deadline.
   *
   * @param senderWaits for a one-way call, whether its sender waits until it was sent
   */
  PendingCall(
      OutgoingCalls host,
      MethodDescriptor<R> method,
      Slot slot,
      long timeoutNanos,
      boolean senderWaits) {
    this.host = host;
    this.method = method;
    this.oneway = method.oneway();
    this.slot = slot;
    this.arguments = (LargeValuesOut) slot.largeValues();
    this.senderWaits = senderWaits;
    this.deadlineNanos = slot.deadlineNanos();
    this.timeoutMillis = (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(timeoutNanos, 1_000_000));
  }

  @Override
  public MethodDescriptor<R> method() {
    return method;
  }

  /** Returns the arena for large results; null for the heap. */
  @Nullable Arena resultsIn() {
    return null;
  }

  /** A call with options. Other calls have no fields for them. */
  static class WithOptions<R> extends PendingCall<R> {
    private final @Nullable Arena resultsIn;
    private final @Nullable Consumer<Metadata> listener;

    WithOptions(
        OutgoingCalls host,
        MethodDescriptor<R> method,
        Slot slot,
        long timeoutNanos,
        @Nullable Arena resultsIn,
        @Nullable Consumer<Metadata> listener) {
      super(host, method, slot, timeoutNanos, false);
      this.resultsIn = resultsIn;
      this.listener = listener;
    }

    @Override
    @Nullable Arena resultsIn() {
      return resultsIn;
    }

    @Override
    void cameAlong(Metadata metadata) {
      if (listener != null) {
        listener.accept(metadata);
      }
    }
  }

  public boolean senderWaits() {
    return senderWaits;
  }

  /** Returns whether the call's message is in the outbox or was sent. */
  boolean wasHandedOver() {
    return stage != WITH_SENDER;
  }

  /** Returns whether the peer has the call and has not answered yet. */
  boolean awaitsReply() {
    return stage == HANDED_OVER;
  }

  /** The reply has arrived and is read beside the loop. */
  void answered() {
    stage = ANSWERED;
  }

  @Override
  public void run() {
    host.start(this);
  }

  /** The session has accepted the call and assigned a number. */
  void started(long id) {
    this.id = id;
    timed = !oneway || senderWaits; // without a waiting sender there is no deadline
    begin();
  }

  @Override
  public void directTo(int place) {
    Slot message = slot;
    if (message != null) {
      if ((FrameHeader.flags(message.first()) & FrameHeader.FLAG_COMPRESSED) != 0) {
        try {
          host.calls.expandUnlessTaken(message);
        } catch (OutOfMemoryError e) {
          refuse(RpcStatus.RESOURCE_EXHAUSTED, Inbox.NO_HEAP); // later calls continue
          return;
        }
      }
      message.header(message.first(), FrameHeader.third(id, place));
    }
  }

  @Override
  public boolean isTimed() {
    return timed;
  }

  @Override
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** The call has its number and will be sent next. */
  void begin() {}

  @Override
  public boolean mayLeave() {
    return true;
  }

  /** The peer is gone, and the call was not sent. */
  void awaitNextPeer() {}

  @Override
  public @Nullable Slot takeSlot() {
    Slot message = slot;
    slot = null;
    if (message != null && isGivenUp()) {
      message.release(); // cancelled before its turn, and the loop does not know yet
      return null;
    }
    if (message != null && oneway) {
      message.deadlineNanos(Slot.NO_DEADLINE); // its receiver has no deadline
    }
    stage = message != null ? HANDED_OVER : WITH_SENDER;
    return message;
  }

  @Override
  public void numbered(long sequence) {
    this.sequence = sequence;
    if (oneway) {
      host.onewaySent(this, sequence);
    }
  }

  @Override
  public void sendLargeValues(LargeValues largeValues) {
    host.calls.objects.sendLargeValues(id, true, method.fullName(), (LargeValuesOut) largeValues);
  }

  @Override
  public int answerBytes() {
    return 0; // its own caller waits for it
  }

  @Override
  public boolean outlivesPeer() {
    return true;
  }

  @Override
  public void tooLong(int length, int limit) {
    stage = WITH_SENDER;
    refuse(
        RpcStatus.INVALID_ARGUMENT,
        "its arguments have %d bytes, and the peer accepts %d: raise maxMessageBytes there, or send less at once"
            .formatted(length, limit));
  }

  @Override
  public void expire() {
    timed = false;
    if (!isDone()) {
      String obstacle = host.calls.session.role().obstacle();
      String met = obstacle == null ? waitedForNext() : ", and " + obstacle;
      fail(RpcStatus.DEADLINE_EXCEEDED, "its deadline of " + timeoutMillis + " ms passed" + met);
    }
    host.abandoned(this);
  }

  private String waitedForNext() {
    boolean waited = stage == WITH_SENDER && host.calls.session.state() == SessionState.DRAINING;
    return waited
        ? " while it waited for the next server: the peer shuts down and accepts no more calls"
        : "";
  }

  boolean isGivenUp() {
    return isDone();
  }

  @Override
  protected boolean isFenced() {
    return false;
  }

  @Override
  protected void end() {
    host.calls.loop.execute(() -> host.abandoned(this));
  }

  boolean hasLargeArguments() {
    return arguments != null;
  }

  @Override
  public long nanosLeft() {
    return deadlineNanos - host.calls.loop.clock().nanoTime();
  }

  @Override
  public void awaitArgumentsFree() {
    if (arguments != null) {
      arguments.awaitFree();
    }
  }

  @Override
  public void awaitLandingFree() {}

  void end(Exception error) {
    settleFailed(error);
  }

  /** Forgets the deadline, and releases the message if it was never sent. */
  void close() {
    timed = false;
    Slot message = slot;
    slot = null;
    if (message != null) {
      message.release();
    }
  }

  /** The failure of a call in its reply. */
  private record Failed(Exception error) {}

  /** Reads a reply and returns the argument for {@link #reply}. On any thread. */
  @Nullable Object read(FrameKind kind, Metadata metadata, WireDecoder in) {
    try {
      return switch (kind) {
        case RESULT -> readResult(in);
        case DECLARED_ERROR -> new Failed(readDeclared(in));
        default -> new Failed(readFailure(in, metadata));
      };
    } catch (Throwable e) {
      return unreadable(e);
    }
  }

  /**
   * Returns the argument for {@link #reply} if reading threw, for instance because a user's type
   * refuses the value. It ends this call, not the session.
   */
  Object unreadable(Throwable thrown) {
    return new Failed(
        switch (thrown) {
          case OutOfMemoryError e -> incomplete(RpcStatus.RESOURCE_EXHAUSTED, Inbox.NO_HEAP);
          case WireException e ->
              notDecoded(
                  e.contractsDiffer() ? RpcStatus.INCOMPATIBLE : RpcStatus.PROTOCOL_ERROR,
                  String.valueOf(e.getMessage()));
          case LinkageError e -> {
            UNLOADED.error("A class of the reply to {} cannot be used", method, e);
            yield notDecoded(
                RpcStatus.INTERNAL, "a class is missing, as the log tells: " + Thrown.fullWords(e));
          }
          default -> notDecoded(RpcStatus.PROTOCOL_ERROR, Thrown.fullWords(thrown));
        });
  }

  /** Completes the future with a reply. */
  @SuppressWarnings({"unchecked", "ReferenceEquality"}) // the instance that was read
  void reply(Metadata metadata, @Nullable Object read) {
    if (metadata != Metadata.EMPTY && !metadata.isEmpty()) {
      cameAlong(metadata);
    }
    try {
      if (read instanceof Failed(Exception error)) {
        end(error);
      } else {
        result((R) read);
      }
    } catch (OutOfMemoryError e) {
      replyIncomplete(RpcStatus.RESOURCE_EXHAUSTED, Inbox.NO_HEAP);
    }
  }

  /** The metadata of the reply have arrived, for an interceptor. */
  void cameAlong(Metadata metadata) {}

  @Nullable R readResult(WireDecoder in) {
    if (!method.streaming()) {
      return method.result().read(in);
    }
    in.streams(host.calls.streams().of(method, deadlineNanos, false));
    try {
      return method.result().read(in);
    } finally {
      in.streams(null);
    }
  }

  void result(@Nullable R result) {
    if (!settle(result) && method.streaming()) {
      host.calls.streams().drop(result); // its caller gave up meanwhile
    }
  }

  final RpcException notDecoded(RpcStatus status, String why) {
    return replyFailure(status, "its reply cannot be decoded: " + why);
  }

  /** The large values of the reply did not arrive. */
  void replyIncomplete(RpcStatus status, String why) {
    end(incomplete(status, why));
  }

  private RpcException incomplete(RpcStatus status, String why) {
    return replyFailure(status, "its reply: " + why);
  }

  private Exception readDeclared(WireDecoder in) {
    int index = in.readVarInt();
    String type = in.readString();
    String words = in.readString();
    Exception declared = method.errors() == null ? null : method.errors().read(index, in);
    return declared == null
        ? answered(
            RpcStatus.INTERNAL,
            Execution.EXECUTED,
            type,
            words + " (declared by the peer's version of the contract, but not by this end's)")
        : declared;
  }

  private RpcException readFailure(WireDecoder in, Metadata metadata) {
    RpcStatus status = RpcStatus.ofCode(in.readByte());
    Execution execution = Execution.ofCode(in.readByte());
    String type = in.readString();
    RpcException failure = answered(status, execution, type, in.readString());
    return metadata.isEmpty() ? failure : failure.withMetadata(metadata);
  }

  private RpcException answered(RpcStatus status, Execution execution, String type, String words) {
    return new RpcException(
        status,
        "%s was answered with %s%s"
            .formatted(method.fullName(), status, words.isEmpty() ? "" : ": " + words),
        CallPhase.REPLIED,
        execution,
        method.idempotent(),
        type.isEmpty() ? null : type,
        null);
  }

  /** Fails the call. Its progress determines phase and certainty. */
  void fail(RpcStatus status, String why) {
    RpcException failure = failure(status, why);
    if (stage == WITH_SENDER && host.calls.session.state() == SessionState.ENDED) {
      failure = failure.forGood();
    }
    end(failure);
    if (oneway && !senderWaits) {
      host.onewayUnsent(failure);
    }
  }

  @Override
  public void refuse(RpcStatus status, String why) {
    fail(status, why);
    host.abandoned(this);
  }

  final RpcException failure(RpcStatus status, String why) {
    CallPhase phase = phase();
    boolean never =
        phase == CallPhase.QUEUED
            || (phase == CallPhase.SENT && host.calls.session.outbox().hasPeerLeft());
    Execution execution = never ? Execution.NOT_EXECUTED : Execution.UNKNOWN;
    return failure(method, status, why, phase, execution);
  }

  private CallPhase phase() {
    if (stage == WITH_SENDER) {
      return CallPhase.QUEUED;
    }
    boolean acknowledged =
        sequence != NOT_NUMBERED && sequence <= host.calls.session.outbox().acknowledged();
    return acknowledged ? CallPhase.RECEIVED : CallPhase.SENT;
  }

  private RpcException replyFailure(RpcStatus status, String why) {
    return failure(method, status, why, CallPhase.REPLIED, Execution.EXECUTED);
  }

  static RpcException failure(
      MethodDescriptor<?> method,
      RpcStatus status,
      String why,
      CallPhase phase,
      Execution execution) {
    String message =
        "%s failed %s: %s: %s".formatted(method.fullName(), phase.words(), status, why);
    return new RpcException(status, message, phase, execution, method.idempotent(), null, null);
  }
}
