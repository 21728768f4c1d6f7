package io.verbena.core.call;

import io.verbena.api.CallContext;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.stub.CallScope;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.bulk.OutgoingParts;
import io.verbena.core.codec.Parts;
import io.verbena.core.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.LoopThread;
import io.verbena.core.loop.Timers;
import io.verbena.core.memory.Slot;
import io.verbena.core.sequence.Outgoing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call on its handler's side: what the dispatcher, the handler's thread and the user's code each
 * see of it. Dispatch and reply belong to the session's event loop; between them the handler's
 * thread alone touches the reply.
 */
public final class ServerCall
    implements IncomingCall, CallContext, Reply, Outgoing, Runnable, Timers.Timer {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final int BODY = FrameHeader.BYTES;
  private static final String HANDLERS_FULL =
      "the peer's executor takes no handlers: it is full, or shutting down";
  private static final int MOST_TEXT = 8 * 1024;

  private final CallHost host;
  private final Runnable invocation = this::invoke;
  private final Object lock = new Object();
  private MethodDescriptor<?> method;
  private long id;
  private long deadlineNanos;
  private long timer = Timers.NONE;
  private @Nullable Handler handler;
  private @Nullable Slot slot;
  private @Nullable Thread runner;
  private boolean cancelled;
  private boolean expired;
  private @Nullable List<Runnable> onCancel;
  private @Nullable OpenSource answer;

  /** A call that has just arrived. */
  public ServerCall(CallHost host, MethodDescriptor<?> method, long id, long deadlineNanos) {
    this.host = host;
    this.method = method;
    this.id = id;
    this.deadlineNanos = deadlineNanos;
  }

  /** Makes this object stand for another call, after one that ended on the loop. */
  public void reuse(MethodDescriptor<?> method, long id, long deadlineNanos) {
    this.method = method;
    this.id = id;
    this.deadlineNanos = deadlineNanos;
    if (cancelled || onCancel != null) { // hardly ever, and the lock costs as much as all else here
      synchronized (lock) {
        cancelled = false;
        expired = false;
        onCancel = null;
      }
    }
  }

  /** Returns the number that the caller gave this call. */
  public long id() {
    return id;
  }

  /** Returns the method called. */
  public MethodDescriptor<?> method() {
    return method;
  }

  /** Returns when the caller gives up, in nanoseconds of the session's clock. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  // ---- on the loop: dispatch ----

  @Override
  public void handle(Handler handler) {
    this.handler = handler;
    if (method.nonBlocking()) {
      host.loop().handle(this, invocation);
      host.replied(this);
      return;
    }
    timer = host.loop().timers().schedule(deadlineNanos, this);
    try {
      host.handlers().execute(this);
    } catch (RejectedExecutionException e) {
      fail(RpcStatus.UNAVAILABLE, Execution.NOT_EXECUTED, "", HANDLERS_FULL);
      host.replied(this);
    }
  }

  /** Returns whether the dispatcher has passed a handler. */
  public boolean isHandled() {
    return handler != null;
  }

  /** Forgets the handler and the timer, once the reply is on its way. */
  public void close() {
    handler = null;
    host.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }

  @Override
  public void onTimer(long nowNanos) {
    timer = Timers.NONE;
    synchronized (lock) {
      expired = !cancelled;
    }
    cancel();
  }

  // ---- on the handler's thread ----

  @Override
  public void run() {
    if (handler == null) {
      throw new IllegalStateException("a call is run once");
    }
    synchronized (lock) {
      runner = Thread.currentThread();
      if (cancelled) {
        runner.interrupt();
      }
    }
    ScopedValue.where(CallScope.CURRENT, new CallScope(this)).run(invocation);
    synchronized (lock) {
      runner = null;
      onCancel = null;
    }
    if (!Thread.currentThread().isVirtual()) {
      Thread.interrupted(); // a cancellation is this call's, not the next one's on a pooled thread
    }
    host.loop().execute(() -> host.replied(this));
  }

  private void invoke() {
    try {
      Objects.requireNonNull(handler).run(this);
      if (slot == null) {
        result(); // the method returned nothing
      }
      seal();
    } catch (WireException e) {
      fail(RpcStatus.RESOURCE_EXHAUSTED, Execution.EXECUTED, "", "the result: " + e.getMessage());
    } catch (RpcException e) {
      RpcStatus status = e.status() == RpcStatus.CANCELLED ? cancellation() : e.status();
      fail(status, Execution.EXECUTED, "", String.valueOf(e.getMessage()));
    } catch (Throwable e) {
      fail(
          isCancelled() ? cancellation() : RpcStatus.INTERNAL,
          Execution.EXECUTED,
          e.getClass().getName(),
          words(e));
      LOG.debug("{} threw", method, e);
      if (e instanceof VirtualMachineError) {
        LOG.error("{} ended in an error of the virtual machine", method, e);
      }
    }
  }

  /** An exception's message is the user's code too: the call is answered even where that fails. */
  private static String words(Throwable e) {
    String type = e.getClass().getName();
    try {
      return type + ": " + e.getMessage();
    } catch (RuntimeException broken) {
      return type + ", whose message cannot be had: " + broken.getClass().getName();
    }
  }

  /** What to call it that a handler was stopped: its reply may come before its caller's timer. */
  private RpcStatus cancellation() {
    synchronized (lock) {
      return expired ? RpcStatus.DEADLINE_EXCEEDED : RpcStatus.CANCELLED;
    }
  }

  @Override
  public WireOut result() {
    return open(FrameKind.RESULT);
  }

  @Override
  public void received(Received received) {
    if (!(received instanceof Received.Answer(Source source))) {
      throw new IllegalArgumentException(
          method.fullName() + " answers with Received.from(source), not with what it received");
    }
    if (isCancelled()) {
      throw new CancellationException("nobody waits for its answer any more");
    }
    result().writeVarLong(source.length());
    answer = OpenSource.open(source);
  }

  /** Hands over the object that goes to the caller's landing; null if there is none. */
  public @Nullable OpenSource takeAnswer() {
    OpenSource taken = answer;
    answer = null;
    return taken;
  }

  @Override
  public WireOut error(int index) {
    WireOut out = open(FrameKind.DECLARED_ERROR);
    out.writeVarInt(index);
    return out;
  }

  private WireEncoder open(FrameKind kind) {
    Slot target = slot;
    if (target == null) {
      target = host.slots().claim();
      if (target == null) {
        // A reply never waits for memory: two peers full of requests can always answer.
        target = Slot.unpooled(host.slots().slotBytes());
      }
      slot = target;
    }
    FrameHeader.write(target.buffer(), kind, 0, id);
    WireEncoder out = target.encoder();
    out.start(target.buffer(), BODY, host.limits().maxMessageBytes(), host.limits().maxDepth());
    if (kind != FrameKind.FAILURE && !method.oneway()) {
      out.takeOut(host.partCutOff(), host.parts(false));
    }
    return out;
  }

  private void seal() {
    Slot target = slot;
    if (target == null) {
      throw new AssertionError("no reply was opened");
    }
    target.encoded(BODY);
    if (target.parts() != null) {
      FrameHeader.writeFlags(target.content(), FrameHeader.FLAG_PARTS);
    }
  }

  /** Makes the reply a failure, whatever was written before. */
  public void fail(RpcStatus status, Execution execution, String remoteType, String message) {
    WireEncoder out = open(FrameKind.FAILURE);
    out.writeByte(status.code());
    out.writeByte(execution.code());
    out.writeString(shortened(remoteType));
    out.writeString(shortened(message));
    seal();
  }

  /** Keeps a failure small and well-formed, whatever text a handler put into it. */
  private String shortened(String text) {
    int most = Math.min(MOST_TEXT, host.limits().maxMessageBytes() / 16);
    String kept = text.length() <= most ? text : text.substring(0, most) + "…";
    // Half a surrogate pair, which the cut may leave too, cannot be encoded: it becomes a '?'.
    return new String(kept.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  // ---- the reply as a message, on the loop ----

  @Override
  public @Nullable Slot takeSlot() {
    Slot reply = slot;
    slot = null;
    return reply;
  }

  @Override
  public void sendParts(Parts parts) {
    host.sendParts(id, method, false, (OutgoingParts) parts);
  }

  @Override
  public int answerBytes() {
    Slot reply = slot;
    return reply == null ? 0 : Math.max(reply.capacity(), reply.length());
  }

  @Override
  public void numbered(long sequence) {
    if (method.nonBlocking()) {
      host.reusable(this);
    }
  }

  @Override
  public void tooLong(int length, int limit) {
    fail(
        RpcStatus.RESOURCE_EXHAUSTED,
        Execution.EXECUTED,
        "",
        "its result takes %d bytes and the caller takes %d: raise maxMessageBytes there"
            .formatted(length, limit));
    host.enqueue(this);
  }

  /** Drops a reply that nobody waits for. */
  public void discard() {
    Slot reply = takeSlot();
    if (reply != null) {
      reply.release();
    }
    OpenSource unwanted = takeAnswer();
    if (unwanted != null) {
      unwanted.close();
    }
  }

  // ---- cancellation ----

  /** Tells the handler that nobody waits for its result: interrupts it and runs its actions. */
  public void cancel() {
    List<Runnable> actions;
    synchronized (lock) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      actions = onCancel == null ? List.of() : onCancel;
      onCancel = null;
      if (runner != null) {
        runner.interrupt();
      }
    }
    for (Runnable action : actions) {
      try {
        host.handlers().execute(action);
      } catch (RejectedExecutionException e) {
        LoopThread.inBackground("verbena-cancel", action);
      }
    }
  }

  @Override
  public Session session() {
    return host.session();
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - host.loop().clock().nanoTime()));
  }

  @Override
  public boolean isCancelled() {
    synchronized (lock) {
      return cancelled;
    }
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (lock) {
      if (!cancelled) {
        if (onCancel == null) {
          onCancel = new ArrayList<>();
        }
        onCancel.add(action);
        return;
      }
    }
    action.run();
  }
}
