package io.verbena.core.call;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.CallScope;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.wire.WireException;
import io.verbena.codec.MetadataBlock;
import io.verbena.codec.WireEncoder;
import io.verbena.core.contract.OwnService;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.transfer.LargeValuesOut;
import io.verbena.link.memory.Slot;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.Thrown;
import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of one stub. It claims a place in the window and a slot, lets the stub encode
 * into the slot, and passes the call to the session's loop. Safe for use by any thread.
 */
public final class SessionCaller implements ServiceCaller {
  private static final long LOOP_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int BODY = FrameHeader.BYTES;
  private static final long UNSET = 0;

  /** Used to check whether events are recorded, so that no event is allocated if they are not. */
  private static final ClientCallEvent RECORDS = new ClientCallEvent();

  private final OutgoingCalls outgoing;

  /** What all calls of the session share. */
  public final Calls calls;

  private final long timeoutNanos;
  private final long defaultTimeoutNanos;
  private final Metadata metadata;
  private final @Nullable Arena resultsIn;

  public SessionCaller(OutgoingCalls outgoing, CallOptions options) {
    this.outgoing = outgoing;
    this.calls = outgoing.calls;
    this.timeoutNanos = options.timeout() == null ? UNSET : NanoClock.nanos(options.timeout());
    this.defaultTimeoutNanos = NanoClock.nanos(calls.limits.defaultTimeout());
    this.metadata = options.metadata();
    this.resultsIn = options.resultsIn();
  }

  /**
   * Begins a call of the session itself.
   *
   * @param mayWait whether it may wait for room, on this thread
   * @param deadline in nanoseconds of the session's clock
   */
  public <R> PendingCall<R> beginOwn(
      MethodDescriptor<R> method, ArgumentWriter arguments, boolean mayWait, long deadline) {
    long now = calls.loop.clock().nanoTime();
    return begin(
        method, arguments, mayWait, null, null, Metadata.EMPTY, now, deadline, null, false);
  }

  @Override
  public <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments)
      throws Exception {
    return awaited(method, begin(method, arguments, true, null));
  }

  @Override
  public Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments)
      throws Exception {
    return Objects.requireNonNull(
        awaited(method, begin(method, arguments, true, usable(into))), "an object");
  }

  /**
   * Waits for a call. When it returns, none of the caller's memory is in use any more. A result
   * that has come before an interrupt is returned, since memory may belong to it.
   */
  public static <R> @Nullable R awaited(MethodDescriptor<?> method, Awaited<R> call)
      throws Exception {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return inTime(method, call);
        } catch (InterruptedException e) {
          interrupted = true;
          if (cancelled(call)) {
            throw failure(
                method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.SENT);
          }
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        cause.fillInStackTrace(); // it was made on the loop, but the caller needs its own stack
        throw cause;
      }
      if (e.getCause() instanceof Error error) {
        throw error; // for instance an exception of this end's interceptor
      }
      throw e;
    } finally {
      call.awaitArgumentsFree();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Cancels a call. Returns false if its end came first. */
  private static boolean cancelled(Awaited<?> call) {
    boolean cancelled = call.cancel(true);
    if (cancelled) {
      call.awaitLandingFree();
    }
    return cancelled;
  }

  /**
   * Waits until the call ends, at the latest by its deadline. A longer wait means that the event
   * loop is stuck.
   */
  private static <R> @Nullable R inTime(MethodDescriptor<?> method, Awaited<R> call)
      throws InterruptedException, ExecutionException {
    while (true) {
      long left = call.nanosLeft() + LOOP_PATIENCE_NANOS;
      if (left <= 0 && cancelled(call)) {
        throw failure(
            method,
            RpcStatus.DEADLINE_EXCEEDED,
            "its event loop has not answered since its deadline, 5 s ago: a nonBlocking handler or"
                + " a callback of an async call holds it up",
            CallPhase.SENT);
      }
      try {
        return call.get(Math.max(left, LOOP_PATIENCE_NANOS), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        // The loop may have another clock than this machine.
      }
    }
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    return submitted(method, null, arguments);
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    return submitted(method, usable(into), arguments);
  }

  private <R> CompletionStage<R> submitted(
      MethodDescriptor<R> method, @Nullable Landing into, ArgumentWriter arguments) {
    try {
      return begin(method, arguments, false, into);
    } catch (RpcException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Checks that a landing is the caller's own. */
  public static Landing usable(Landing into) {
    if (into instanceof Landing.AtCaller) {
      throw new IllegalArgumentException(
          "a handler's landing is its caller's: pass on one of your own, and answer with"
              + " Received.from(source)");
    }
    return into;
  }

  @Override
  public void send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    checkNotEnded(method);
    PendingCall<?> call = begin(method, arguments, true, null);
    if (call.senderWaits()) {
      awaitLeft(call.method(), call);
    }
  }

  /** Refuses a one-way call on a session that has ended. */
  public void checkNotEnded(MethodDescriptor<?> method) {
    if (calls.session.state() == SessionState.ENDED) {
      String why = "the session has ended: " + calls.session.path().reason();
      throw failure(method, RpcStatus.UNAVAILABLE, why, CallPhase.QUEUED).forGood();
    }
  }

  /** Waits until a one-way call was sent. */
  public static <R> void awaitLeft(MethodDescriptor<?> method, Awaited<R> call) {
    try {
      R _ = awaited(method, call);
    } catch (RpcException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(method.fullName() + " is one-way, but failed: " + e, e);
    }
  }

  /** Begins a call. A caller that may wait must do nothing else until its end. */
  private <R> PendingCall<R> begin(
      MethodDescriptor<R> method,
      ArgumentWriter arguments,
      boolean mayWait,
      @Nullable Landing into) {
    CallContext outer = outer();
    long now = calls.loop.clock().nanoTime();
    long deadline = deadline(method, outer, now);
    return begin(method, arguments, mayWait, into, null, metadata, now, deadline, outer, mayWait);
  }

  /** Counts a one-way call that was not sent and whose sender does not wait. */
  public void onewayUnsent(RpcException failure) {
    calls.loop.execute(() -> outgoing.onewayUnsent(failure));
  }

  /**
   * Returns the deadline of a call that starts now. The caller's timeout, or else the method's,
   * determines it, but it is no later than the deadline of the outer call.
   *
   * @param outer the call that it is part of, or null
   * @param now nanoseconds of the session's clock
   */
  public long deadline(MethodDescriptor<?> method, @Nullable CallContext outer, long now) {
    long deadline = now + timeoutNanos(method);
    if (outer instanceof ServerCall call && call.deadlineNanos() - deadline < 0) {
      return call.deadlineNanos();
    }
    return deadline;
  }

  private long timeoutNanos(MethodDescriptor<?> method) {
    if (timeoutNanos != UNSET) {
      return timeoutNanos;
    }
    if (method.streaming() && method.timeoutNanos() == 0) {
      return NanoClock.LONGEST_NANOS; // a stream has no deadline by default
    }
    return method.timeoutNanos() > 0
        ? Math.min(NanoClock.LONGEST_NANOS, method.timeoutNanos())
        : defaultTimeoutNanos;
  }

  public Metadata metadata() {
    return metadata;
  }

  /** Returns the call that this thread handles, or null. */
  public @Nullable CallContext outer() {
    // Inside a cycle the loop's own scope is used, because looking up a scoped value costs more
    // than the rest.
    EventLoop loop = calls.loop;
    return loop.isInCycle() ? loop.callScope().get() : CallScope.currentOrNull();
  }

  /**
   * Begins a call.
   *
   * @param mayWait whether it may wait for room, on this thread
   * @param into the landing of its result; null if it has none
   * @param listener receives the metadata of the reply; may be null
   * @param now in nanoseconds of the session's clock
   * @param deadline in nanoseconds of the session's clock
   * @param outer the call that this one is part of, or null
   * @param mayStep whether this thread steps the loop until the reply has come, if nobody else
   *     needs the loop; at most for 5 ms, or 0.3 ms on a virtual thread
   */
  public <R> PendingCall<R> begin(
      MethodDescriptor<R> method,
      ArgumentWriter arguments,
      boolean mayWait,
      @Nullable Landing into,
      @Nullable Consumer<Metadata> listener,
      Metadata metadata,
      long now,
      long deadline,
      @Nullable CallContext outer,
      boolean mayStep) {
    EventLoop loop = calls.loop;
    boolean onLoop = loop.isOwner();
    boolean wait = mayWait && !loop.isNotToWait();
    if (deadline - now <= 0) {
      throw failure(
          method,
          RpcStatus.DEADLINE_EXCEEDED,
          "the deadline of the call it is part of has passed",
          CallPhase.QUEUED);
    }
    boolean oneway = method.oneway();
    if (mayWait && !oneway) {
      checkMayWait(method);
    }
    if (outer != null
        && !oneway // the peer takes these until it ends
        && outer.session() == calls.session
        && calls.session.state() == SessionState.DRAINING) {
      throw failure(
          method,
          RpcStatus.UNAVAILABLE,
          "the peer is shutting down and waits for the handler that makes this call",
          CallPhase.QUEUED);
    }
    enterWindow(method, wait ? deadline - now : 0);
    Slot slot = null;
    PendingCall<R> call = null;
    CallStreams streams = null;
    try {
      streams = method.streaming() ? calls.streams().of(method, deadline, true) : null;
      slot = claimSlot(method, wait ? deadline - loop.clock().nanoTime() : 0);
      // A caller that waits for the result does not change large arguments meanwhile.
      boolean waits = wait && !oneway;
      Supplier<LargeValuesOut> largeValues = waits ? calls.borrowedValues : calls.copiedValues;
      int flags = encode(method, arguments, slot, largeValues, metadata, streams);
      FrameKind kind = oneway ? FrameKind.ONEWAY : FrameKind.REQUEST;
      slot.header(FrameHeader.first(kind, flags), 0); // the loop adds the method
      slot.deadlineNanos(deadline);
      call = made(method, slot, deadline - now, into, listener);
      if (RECORDS.isEnabled() && !OwnService.has(method)) {
        ClientCallEvent.follow(call, calls.session);
      }
      if (streams != null) {
        streams.endWith(call, call::wasHandedOver);
      }
      return call;
    } finally {
      if (call == null) {
        if (slot != null) {
          slot.release();
        }
        calls.window.release();
        if (streams != null) {
          streams.cancel();
        }
      } else if (onLoop) {
        call.run();
      } else if (!mayStep || !isSteppable(call, into) || !loop.drive(call, call)) {
        loop.execute(call);
      }
    }
  }

  /** Returns whether nothing but a reply follows a call. */
  private static boolean isSteppable(PendingCall<?> call, @Nullable Landing into) {
    MethodDescriptor<?> method = call.method();
    return into == null && !method.oneway() && !method.streaming() && !call.hasLargeArguments();
  }

  @SuppressWarnings("unchecked") // the result of a call with a landing is a Received
  private <R> PendingCall<R> made(
      MethodDescriptor<R> method,
      Slot slot,
      long timeoutNanos,
      @Nullable Landing into,
      @Nullable Consumer<Metadata> listener) {
    if (into != null) {
      MethodDescriptor<Received> receives = (MethodDescriptor<Received>) method;
      return (PendingCall<R>)
          new LandingCall(outgoing, receives, slot, timeoutNanos, into, listener);
    }
    if (method.oneway()) {
      // Without a peer it is unknown whether the call will ever be sent, so its sender waits. This
      // is checked after the call has its place in the window, because the loss of the session may
      // have made the room.
      boolean waits = calls.session.state() != SessionState.OPEN && !calls.loop.isNotToWait();
      return new PendingCall<>(outgoing, method, slot, timeoutNanos, waits);
    }
    return resultsIn == null && listener == null
        ? new PendingCall<>(outgoing, method, slot, timeoutNanos, false)
        : new PendingCall.WithOptions<>(outgoing, method, slot, timeoutNanos, resultsIn, listener);
  }

  /** Refuses a blocking call on an event loop. */
  public void checkMayWait(MethodDescriptor<?> method) {
    if (calls.loop.isNotToWait()) {
      throw new IllegalStateException(
          method.fullName()
              + " was called blocking on the event loop, by a nonBlocking handler or a callback of"
              + " an async call. Use the async client there.");
    }
  }

  private void enterWindow(MethodDescriptor<?> method, long waitNanos) {
    CallWindow window = calls.window;
    if (window.tryAcquire()) {
      return;
    }
    try {
      if (waitNanos > 0 && calls.loop.clock().acquire(window, waitNanos)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.QUEUED);
    }
    throw failure(method, RpcStatus.RESOURCE_EXHAUSTED, window.full(), CallPhase.QUEUED);
  }

  private Slot claimSlot(MethodDescriptor<?> method, long waitNanos) {
    Slot pooled = calls.slots.claim();
    if (pooled != null) {
      return pooled; // the usual case
    }
    try {
      Slot slot = calls.slotShare.claim(calls.loop.clock(), waitNanos);
      if (slot != null) {
        return slot;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.QUEUED);
    }
    throw failure(
        method, RpcStatus.RESOURCE_EXHAUSTED, calls.slotShare.exhausted(), CallPhase.QUEUED);
  }

  /** Encodes a call's message; returns the flags of its header. */
  @SuppressWarnings("ReferenceEquality") // usually there is none
  private int encode(
      MethodDescriptor<?> method,
      ArgumentWriter arguments,
      Slot slot,
      Supplier<LargeValuesOut> largeValues,
      Metadata metadata,
      @Nullable CallStreams streams) {
    try {
      WireEncoder out = slot.encoder();
      out.start(slot.buffer(), BODY, calls.maxMessageBytes, calls.maxDepth);
      out.takeOut(calls.path.beside(), largeValues);
      if (streams != null) {
        out.streams(streams);
      }
      arguments.write(out);
      int flags = out.length() < calls.path.compressFrom() ? 0 : calls.compress(out);
      if (metadata != Metadata.EMPTY && !metadata.isEmpty()) {
        addMetadata(out, metadata);
        flags |= FrameHeader.FLAG_METADATA;
      }
      return slot.encoded(BODY) == null ? flags : flags | FrameHeader.FLAG_LARGE_VALUES;
    } catch (WireException e) {
      throw notEncoded(method, e, String.valueOf(e.getMessage()));
    } catch (Throwable e) { // thrown by a user's serializer, or because of an invalid argument
      throw notEncoded(method, e, Thrown.fullWords(e));
    }
  }

  private static void addMetadata(WireEncoder out, Metadata metadata) {
    String misfit = MetadataBlock.misfit(metadata);
    if (misfit != null) {
      throw new WireException(misfit);
    }
    MetadataBlock.write(out, metadata);
  }

  private static RpcException notEncoded(MethodDescriptor<?> method, Throwable cause, String why) {
    return new RpcException(
        RpcStatus.INVALID_ARGUMENT,
        method.fullName() + " failed " + CallPhase.ENCODING.words() + ": " + why,
        CallPhase.ENCODING,
        Execution.NOT_EXECUTED,
        method.idempotent(),
        null,
        cause);
  }

  public static RpcException failure(
      MethodDescriptor<?> method, RpcStatus status, String why, CallPhase phase) {
    Execution execution = phase == CallPhase.QUEUED ? Execution.NOT_EXECUTED : Execution.UNKNOWN;
    return PendingCall.failure(method, status, why, phase, execution);
  }
}
