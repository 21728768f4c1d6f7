package io.verbena.core.call;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.wire.WireException;
import io.verbena.core.bulk.OutgoingParts;
import io.verbena.core.codec.WireEncoder;
import io.verbena.core.frame.CallFrames;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.memory.Slot;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of one stub: claims a place in the window and a slot, has the stub encode into
 * the slot, and hands the call to the session's loop. Safe for any thread.
 */
public final class SessionCaller implements ServiceCaller {
  private static final int BODY = FrameHeader.BYTES;
  private static final long SLOT_RETRY_NANOS = 100_000;

  private final CallHost host;
  private final int serviceId;
  private final Deadlines deadlines;

  /** Makes calls to a service of this name. */
  public SessionCaller(CallHost host, String service, CallOptions options) {
    this.host = host;
    this.serviceId = OfferedService.id(service);
    this.deadlines = new Deadlines(options, host.limits().defaultTimeout());
  }

  @Override
  public <R> @Nullable R call(MethodDescriptor<R> method, ArgumentWriter arguments)
      throws Exception {
    return awaited(method, begin(method, null, arguments, true));
  }

  @Override
  public Received call(MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments)
      throws Exception {
    return Objects.requireNonNull(
        awaited(method, begin(method, usable(into), arguments, true)), "an object");
  }

  private static <R> @Nullable R awaited(MethodDescriptor<R> method, PendingCall<R> call)
      throws Exception {
    try {
      return call.get();
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
      throw e;
    } finally {
      call.awaitArgumentsFree();
    }
  }

  @Override
  public <R> CompletionStage<R> submit(MethodDescriptor<R> method, ArgumentWriter arguments) {
    try {
      return begin(method, null, arguments, false);
    } catch (RpcException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletionStage<Received> submit(
      MethodDescriptor<Received> method, Landing into, ArgumentWriter arguments) {
    try {
      return begin(method, usable(into), arguments, false);
    } catch (RpcException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Landing usable(Landing into) {
    if (into instanceof Landing.AtCaller) {
      throw new IllegalArgumentException(
          "a handler's landing is its caller's: pass on one of your own, and answer with"
              + " Received.from(source)");
    }
    return into;
  }

  @Override
  public void send(MethodDescriptor<?> method, ArgumentWriter arguments) {
    PendingCall<?> _ = begin(method, null, arguments, true);
  }

  private <R> PendingCall<R> begin(
      MethodDescriptor<R> method,
      @Nullable Landing into,
      ArgumentWriter arguments,
      boolean mayWait) {
    EventLoop loop = host.loop();
    boolean onLoop = loop.isOwner();
    boolean wait = mayWait && !onLoop;
    // In a cycle the loop's own scope is at hand; looking a scoped value up costs more than the
    // rest.
    CallContext outer = loop.isInCycle() ? loop.callScope().get() : CallContext.currentOrNull();
    long now = loop.clock().nanoTime();
    long deadline = deadlines.of(method, outer, now);
    if (deadline - now <= 0) {
      throw failure(
          method,
          RpcStatus.DEADLINE_EXCEEDED,
          "the deadline of the call it is part of has passed",
          CallPhase.QUEUED);
    }
    if (mayWait && !wait && !method.oneway()) {
      throw new IllegalStateException(
          method.fullName()
              + " was called blocking on the event loop, by a nonBlocking handler or a callback of"
              + " an async call. Use the async client there.");
    }
    enterWindow(method, wait ? deadline - now : 0);
    Slot slot = null;
    PendingCall<R> call = null;
    try {
      slot = claimSlot(method, wait ? deadline : now);
      // Who waits for the result leaves large arguments as they are meanwhile.
      encode(method, arguments, slot, host.parts(wait && !method.oneway()));
      slot.deadlineNanos(deadline);
      call = new PendingCall<>(host, method, slot, deadline - now, into);
      return call;
    } finally {
      if (call == null) {
        if (slot != null) {
          slot.release();
        }
        host.window().release();
      } else if (onLoop) {
        call.run();
      } else {
        loop.execute(call);
      }
    }
  }

  private void enterWindow(MethodDescriptor<?> method, long waitNanos) {
    CallWindow window = host.window();
    if (window.tryAcquire()) {
      return;
    }
    try {
      if (waitNanos > 0 && window.tryAcquire(waitNanos, TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.QUEUED);
    }
    throw failure(
        method,
        RpcStatus.RESOURCE_EXHAUSTED,
        window.size()
            + " calls of this session are under way already: wait for some to end, or raise maxCalls"
            + " on both ends",
        CallPhase.QUEUED);
  }

  private Slot claimSlot(MethodDescriptor<?> method, long untilNanos) {
    while (true) {
      Slot slot = host.slots().claim();
      if (slot != null) {
        return slot;
      }
      if (untilNanos - host.loop().clock().nanoTime() <= 0) {
        throw failure(
            method,
            RpcStatus.RESOURCE_EXHAUSTED,
            "all " + host.slots().maxSlots() + " message slots are in use: raise slotMemoryBytes",
            CallPhase.QUEUED);
      }
      if (Thread.currentThread().isInterrupted()) {
        throw failure(method, RpcStatus.CANCELLED, "its caller was interrupted", CallPhase.QUEUED);
      }
      LockSupport.parkNanos(SLOT_RETRY_NANOS);
    }
  }

  private void encode(
      MethodDescriptor<?> method,
      ArgumentWriter arguments,
      Slot slot,
      Supplier<OutgoingParts> parts) {
    FrameKind kind = method.oneway() ? FrameKind.ONEWAY : FrameKind.REQUEST;
    FrameHeader.write(slot.buffer(), kind, 0, 0);
    try {
      WireEncoder out = slot.encoder();
      out.start(slot.buffer(), BODY, host.limits().maxMessageBytes(), host.limits().maxDepth());
      out.takeOut(host.partCutOff(), parts);
      CallFrames.begin(out, serviceId);
      out.writeVarInt(method.id());
      arguments.write(out);
      slot.encoded(BODY);
      if (slot.parts() != null) {
        FrameHeader.writeFlags(slot.content(), FrameHeader.FLAG_PARTS);
      }
    } catch (WireException e) {
      throw new RpcException(
          RpcStatus.INVALID_ARGUMENT,
          method.fullName() + " failed " + CallPhase.ENCODING.words() + ": " + e.getMessage(),
          CallPhase.ENCODING,
          Execution.NOT_EXECUTED,
          method.idempotent(),
          null,
          e);
    }
  }

  private static RpcException failure(
      MethodDescriptor<?> method, RpcStatus status, String why, CallPhase phase) {
    String message =
        "%s failed %s: %s: %s".formatted(method.fullName(), phase.words(), status, why);
    Execution execution = phase == CallPhase.QUEUED ? Execution.NOT_EXECUTED : Execution.UNKNOWN;
    return new RpcException(status, message, phase, execution, method.idempotent(), null, null);
  }
}
