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
 * Makes the calls of one stub: claims a place in the window and a slot, has the stub encode into
 * the slot, and hands the call to the session's loop. Safe for any thread.
 */
public final class SessionCaller implements ServiceCaller {
  private static final long LOOP_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int BODY = FrameHeader.BYTES;
  private static final long UNSET = 0;

  /** Asked instead of a new one, so that a call that is not recorded makes none. */
  private static final ClientCallEvent RECORDS = new ClientCallEvent();

  private final OutgoingCalls outgoing;
  private final Calls host;
  private final long timeoutNanos;
  private final long defaultTimeoutNanos;
  private final Metadata metadata;
  private final @Nullable Arena resultsIn;

  /** Makes a stub's calls. */
  public SessionCaller(OutgoingCalls outgoing, CallOptions options) {
    this.outgoing = outgoing;
    this.host = outgoing.shared;
    this.timeoutNanos = options.timeout() == null ? UNSET : NanoClock.nanos(options.timeout());
    this.defaultTimeoutNanos = NanoClock.nanos(host.limits.defaultTimeout());
    this.metadata = options.metadata();
    this.resultsIn = options.resultsIn();
  }

  /**
   * Begins a call of the session's own.
   *
   * @param mayWait whether it may wait for room, on this thread
   * @param deadline in nanoseconds of the session's clock
   */
  public <R> PendingCall<R> beginOwn(
      MethodDescriptor<R> method, ArgumentWriter arguments, boolean mayWait, long deadline) {
    long now = host.loop.clock().nanoTime();
    return begin(method, arguments, mayWait, null, null, Metadata.EMPTY, now, deadline, null);
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

  /** Waits for a call; when it returns, nothing of the caller's is in use any more. */
  public static <R> @Nullable R awaited(MethodDescriptor<?> method, Awaited<R> call)
      throws Exception {
    try {
      return inTime(method, call);
    } catch (InterruptedException e) {
      call.cancel(true);
      call.awaitLandingFree();
      Thread.currentThread().interrupt();
      throw failure(method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.SENT);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        cause.fillInStackTrace(); // it was made on the loop; the caller wants to see its own stack
        throw cause;
      }
      if (e.getCause() instanceof Error error) {
        throw error; // an interceptor's of this end, say
      }
      throw e;
    } finally {
      call.awaitArgumentsFree();
    }
  }

  /** Its deadline ends a call, unless the event loop is stuck that is to see to it. */
  private static <R> @Nullable R inTime(MethodDescriptor<?> method, Awaited<R> call)
      throws InterruptedException, ExecutionException {
    long left;
    while ((left = call.nanosLeft()) > -LOOP_PATIENCE_NANOS) {
      try {
        return call.get(left + LOOP_PATIENCE_NANOS, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        // Its clock may be another than this machine's.
      }
    }
    call.cancel(true);
    call.awaitLandingFree();
    throw failure(
        method,
        RpcStatus.DEADLINE_EXCEEDED,
        "its event loop has not answered since its deadline, 5 s ago: a nonBlocking handler or a"
            + " callback of an async call holds it up",
        CallPhase.SENT);
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    try {
      return begin(method, arguments, false, null);
    } catch (RpcException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    try {
      return begin(method, arguments, false, usable(into));
    } catch (RpcException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Refuses a landing that is not the caller's own. */
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

  /** Refuses a one-way call of which nobody would hear. */
  public void checkNotEnded(MethodDescriptor<?> method) {
    if (host.session.state() == SessionState.ENDED) {
      String why = "the session has ended: " + host.session.path().reason();
      throw failure(method, RpcStatus.UNAVAILABLE, why, CallPhase.QUEUED).forGood();
    }
  }

  /** Waits until a one-way call has left. */
  public static <R> void awaitLeft(MethodDescriptor<?> method, Awaited<R> call) {
    try {
      R _ = awaited(method, call);
    } catch (RpcException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(method.fullName() + " is one-way, and met " + e, e);
    }
  }

  private <R> PendingCall<R> begin(
      MethodDescriptor<R> method,
      ArgumentWriter arguments,
      boolean mayWait,
      @Nullable Landing into) {
    CallContext outer = outer();
    long now = host.loop.clock().nanoTime();
    long deadline = deadline(method, outer, now);
    return begin(method, arguments, mayWait, into, null, metadata, now, deadline, outer);
  }

  /** Returns what these have in common with all calls of the session. */
  public Calls host() {
    return host;
  }

  /** Counts a one-way call that did not leave, and of which nobody waits to hear that. */
  public void onewayUnsent(RpcException failure) {
    host.loop.execute(() -> outgoing.onewayUnsent(failure));
  }

  /**
   * Returns the deadline of a call that starts now: the earliest of what its caller, its method and
   * the call around it say.
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
      return NanoClock.LONGEST_NANOS; // a stream lasts as long as it lasts
    }
    return method.timeoutNanos() > 0
        ? Math.min(NanoClock.LONGEST_NANOS, method.timeoutNanos())
        : defaultTimeoutNanos;
  }

  /** Returns what goes along with each. */
  public Metadata metadata() {
    return metadata;
  }

  /** Returns the call that this thread handles, or null. */
  public @Nullable CallContext outer() {
    // In a cycle the loop's own scope is at hand; looking a scoped value up costs more than the
    // rest.
    EventLoop loop = host.loop;
    return loop.isInCycle() ? loop.callScope().get() : CallScope.currentOrNull();
  }

  /**
   * Begins a call.
   *
   * @param mayWait whether it may wait for room, on this thread
   * @param into where its result goes; null where it has none for a landing
   * @param listener hears what comes beside its reply; null: nobody
   * @param metadata what goes along
   * @param now in nanoseconds of the session's clock
   * @param deadline likewise
   * @param outer the call that this one is part of, or null
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
      @Nullable CallContext outer) {
    EventLoop loop = host.loop;
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
    if (outer != null && outer.session() == host.session && isDraining()) {
      throw failure(
          method,
          RpcStatus.UNAVAILABLE,
          "the peer is shutting down, and its end waits for the handler that makes this call",
          CallPhase.QUEUED);
    }
    enterWindow(method, wait ? deadline - now : 0);
    Slot slot = null;
    PendingCall<R> call = null;
    CallStreams streams = null;
    try {
      streams = method.streaming() ? host.streams().of(method, deadline, true) : null;
      slot = claimSlot(method, wait ? deadline - loop.clock().nanoTime() : 0);
      // Who waits for the result leaves large arguments as they are meanwhile.
      boolean waits = wait && !oneway;
      Supplier<LargeValuesOut> parts = waits ? host.borrowedParts : host.copiedParts;
      int flags = encode(method, arguments, slot, parts, metadata, streams);
      FrameKind kind = oneway ? FrameKind.ONEWAY : FrameKind.REQUEST;
      slot.header(FrameHeader.first(kind, flags), 0); // whom it is for is known on the loop
      slot.deadlineNanos(deadline);
      call = made(method, slot, deadline - now, into, listener);
      if (RECORDS.isEnabled() && !OwnService.has(method)) {
        ClientCallEvent.follow(call, host.session);
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
        host.window.release();
        if (streams != null) {
          streams.cancel();
        }
      } else if (onLoop) {
        call.run();
      } else {
        loop.execute(call);
      }
    }
  }

  /** Makes the call of an encoded message. */
  @SuppressWarnings("unchecked") // what goes to a landing is received
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
      // Without a peer it is not known whether the call will ever leave: its sender waits for that.
      // Judged here, where the call has its place in the window: the loss of the session may be
      // what has made room.
      boolean waits = host.session.state() != SessionState.OPEN && !host.loop.isNotToWait();
      return new PendingCall<>(outgoing, method, slot, timeoutNanos, waits);
    }
    return resultsIn == null && listener == null
        ? new PendingCall<>(outgoing, method, slot, timeoutNanos, false)
        : new PendingCall.WithOptions<>(outgoing, method, slot, timeoutNanos, resultsIn, listener);
  }

  /** Refuses a blocking call where nothing may wait. */
  public void checkMayWait(MethodDescriptor<?> method) {
    if (host.loop.isNotToWait()) {
      throw new IllegalStateException(
          method.fullName()
              + " was called blocking on the event loop, by a nonBlocking handler or a callback of"
              + " an async call. Use the async client there.");
    }
  }

  private boolean isDraining() {
    return host.session.state() == SessionState.DRAINING;
  }

  private void enterWindow(MethodDescriptor<?> method, long waitNanos) {
    CallWindow window = host.window;
    if (window.tryAcquire()) {
      return;
    }
    try {
      if (waitNanos > 0 && host.loop.clock().acquire(window, waitNanos)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.QUEUED);
    }
    throw failure(method, RpcStatus.RESOURCE_EXHAUSTED, window.full(), CallPhase.QUEUED);
  }

  private Slot claimSlot(MethodDescriptor<?> method, long waitNanos) {
    Slot pooled = host.slots.claim();
    if (pooled != null) {
      return pooled; // nearly always
    }
    try {
      Slot slot = host.slotShare.claim(host.loop.clock(), waitNanos);
      if (slot != null) {
        return slot;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.QUEUED);
    }
    throw failure(
        method, RpcStatus.RESOURCE_EXHAUSTED, host.slotShare.exhausted(), CallPhase.QUEUED);
  }

  /** Encodes a call's message; returns the flags of its header. */
  @SuppressWarnings("ReferenceEquality") // nearly always there is none
  private int encode(
      MethodDescriptor<?> method,
      ArgumentWriter arguments,
      Slot slot,
      Supplier<LargeValuesOut> parts,
      Metadata metadata,
      @Nullable CallStreams streams) {
    try {
      WireEncoder out = slot.encoder();
      out.start(slot.buffer(), BODY, host.maxMessageBytes, host.maxDepth);
      out.takeOut(host.path.beside(), parts);
      if (streams != null) {
        out.streams(streams);
      }
      arguments.write(out);
      int flags = out.length() < host.path.compressFrom() ? 0 : host.compress(out);
      if (metadata != Metadata.EMPTY && !metadata.isEmpty()) {
        addMetadata(out, metadata);
        flags |= FrameHeader.FLAG_METADATA;
      }
      return slot.encoded(BODY) == null ? flags : flags | FrameHeader.FLAG_PARTS;
    } catch (WireException e) {
      throw notEncoded(method, e, String.valueOf(e.getMessage()));
    } catch (Throwable e) { // of a user's serializer, or of an argument that is none
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

  /** Returns how a call has failed at its caller. */
  public static RpcException failure(
      MethodDescriptor<?> method, RpcStatus status, String why, CallPhase phase) {
    Execution execution = phase == CallPhase.QUEUED ? Execution.NOT_EXECUTED : Execution.UNKNOWN;
    return PendingCall.failure(method, status, why, phase, execution);
  }
}
