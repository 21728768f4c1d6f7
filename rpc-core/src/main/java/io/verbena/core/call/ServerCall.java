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
import io.verbena.core.bulk.parts.OutgoingParts;
import io.verbena.core.bulk.source.OpenSource;
import io.verbena.core.bulk.work.FileTrouble;
import io.verbena.core.codec.Parts;
import io.verbena.core.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.log.ThrottledLog;
import io.verbena.core.log.Thrown;
import io.verbena.core.loop.DeadlineWatch;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A call on its handler's side: what the dispatcher, the handler's thread and the user's code each
 * see of it. Dispatch and reply belong to the session's event loop; between them the handler's
 * thread alone touches the reply.
 */
public final class ServerCall
    implements IncomingCall, CallContext, Reply, Outgoing, Runnable, DeadlineWatch.Timed {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final ThrottledLog MACHINE_ERROR =
      ThrottledLog.of(ServerCall.class, "handlers that ended in an error of the virtual machine");
  private static final ThrottledLog BUG =
      ThrottledLog.of(ServerCall.class, "handlers that threw what their contract does not declare");
  private static final int BODY = FrameHeader.BYTES;
  private static final String HANDLERS_FULL =
      "the peer's executor takes no handlers, it is full or shutting down: ";
  private static final String REPLIES_NOT_TAKEN =
      "its handler had to wait: the replies to earlier calls of its session, which its caller has"
          + " yet to take, have all the memory that they may";
  private static final String UNTOLD = "its handler failed, and telling how failed, too";
  private static final String NEVER_RAN =
      "the peer's executor did not come to run its handler before its deadline";
  private static final int MOST_TEXT = 8 * 1024;
  private static final long INHERITED_WITHIN_NANOS = 1_000_000;

  private final CallHost host;
  private final Runnable invocation = this::invoke;
  private final Object lock = new Object();
  private MethodDescriptor<?> method;
  private long id;
  private long deadlineNanos;
  private long timer = Timers.NONE;
  private boolean timed;
  private @Nullable Handler handler;
  private @Nullable Slot slot;
  private @Nullable Thread runner;

  /** Whether the executor was given it. On the loop. */
  private boolean handedOver;

  /** Whether a thread has taken the call, or it was answered without: only one of them may be. */
  private boolean taken;

  private boolean cancelled;
  private boolean expired;
  private @Nullable List<Runnable> onCancel;
  private @Nullable OpenSource answer;
  private ReplySize replySize;
  private long reserved;

  /** Why a one-way call was refused, or failed: nobody else would say so. */
  private @Nullable String problem;

  private boolean refused;

  /** What the handler of a one-way call threw; its peer is not told. */
  private @Nullable Throwable bug;

  /** A call that has just arrived. */
  public ServerCall(
      CallHost host, MethodDescriptor<?> method, ReplySize replySize, long id, long deadlineNanos) {
    this.host = host;
    this.method = method;
    this.replySize = replySize;
    this.id = id;
    this.deadlineNanos = deadlineNanos;
  }

  /** Makes this object stand for another call, after one that ended on the loop. */
  public void reuse(MethodDescriptor<?> method, ReplySize replySize, long id, long deadlineNanos) {
    this.method = method;
    this.replySize = replySize;
    this.id = id;
    this.deadlineNanos = deadlineNanos;
    if (cancelled
        || taken
        || onCancel != null) { // hardly ever, and the lock costs as much as all else here
      synchronized (lock) {
        cancelled = false;
        expired = false;
        taken = false;
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
  @Override
  public long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public boolean isTimed() {
    return timed;
  }

  // ---- on the loop: dispatch ----

  @Override
  public void handle(Handler handler) {
    this.handler = handler;
    if (host.mayStart(this)) {
      start();
    } else if (!method.oneway()) {
      awaitDeadline();
    }
  }

  private void awaitDeadline() {
    timed = true;
    host.awaitDeadline(this);
  }

  /** Starts the handler of a call that has waited, unless nobody waits for the call any more. */
  public void startLate() {
    timed = false;
    if (isCancelled()) {
      refuse(cancellation(), REPLIES_NOT_TAKEN);
    } else {
      start();
    }
  }

  private void start() {
    if (method.nonBlocking()) {
      try {
        host.loop().handle(this, invocation);
      } finally {
        host.replied(this);
      }
      return;
    }
    if (!method.oneway()) { // nobody waits for it
      awaitDeadline();
    }
    handedOver = true;
    try {
      host.execute(this);
    } catch (Throwable e) { // an executor is users' code
      refuse(RpcStatus.RESOURCE_EXHAUSTED, HANDLERS_FULL + Thrown.words(e));
    }
  }

  private boolean take() {
    synchronized (lock) {
      boolean first = !taken;
      taken = true;
      return first;
    }
  }

  /** Its turn with the executor comes again later. */
  private void putOff() {
    handedOver = false;
    synchronized (lock) {
      taken = false;
    }
    host.putOff(this);
  }

  /** Returns what its reply may take beyond a slot, or {@link ReplySize#UNKNOWN}. */
  public long expectedReply() {
    return method.oneway() ? 0 : replySize.expected();
  }

  /** Returns what was reserved for its reply. */
  public long reserved() {
    return reserved;
  }

  /** Says what was reserved for its reply. */
  public void reserved(long bytes) {
    reserved = bytes;
  }

  /** Returns whether the dispatcher has passed a handler. */
  public boolean isHandled() {
    return handler != null;
  }

  /** Forgets the handler and the deadline, once the reply is on its way. */
  public void close() {
    handler = null;
    timed = false;
    host.loop().timers().cancel(timer);
    timer = Timers.NONE;
  }

  /** Its peer is gone: its handler hears of that, and none begins after the deadline. */
  public void orphaned() {
    cancel();
    if (timed) {
      timer = host.loop().timers().schedule(deadlineNanos, now -> expire());
    }
  }

  @Override
  public void expire() {
    timed = false;
    if (handedOver && answerUnlessTaken(RpcStatus.DEADLINE_EXCEEDED, NEVER_RAN)) {
      return; // its executor is busy, or has dropped it
    }
    synchronized (lock) {
      expired = !cancelled;
    }
    cancel();
  }

  // ---- on the handler's thread ----

  @Override
  public void run() {
    if (!take()) {
      return; // answered already, or run twice by an executor
    }
    if (!host.mayRun(this)) {
      host.loop().execute(this::putOff);
      return;
    }
    synchronized (lock) {
      runner = Thread.currentThread();
      if (cancelled) {
        runner.interrupt();
      }
    }
    try {
      ScopedValue.where(CallScope.CURRENT, new CallScope(this)).run(invocation);
    } finally {
      synchronized (lock) {
        runner = null;
        onCancel = null;
      }
      if (!Thread.currentThread().isVirtual()) {
        Thread.interrupted(); // a cancellation is this call's, not the next one's on that thread
      }
      host.loop().execute(() -> host.replied(this));
    }
  }

  private void invoke() {
    try {
      handleAndAnswer();
    } catch (Throwable e) { // what the answer is made of is users' code, too
      fail(RpcStatus.INTERNAL, Execution.EXECUTED, e.getClass().getName(), UNTOLD);
    }
  }

  private void handleAndAnswer() {
    try {
      Objects.requireNonNull(handler).run(this);
      if (slot == null) {
        result(); // the method returned nothing
      }
      seal();
    } catch (WireException e) {
      fail(RpcStatus.RESOURCE_EXHAUSTED, Execution.EXECUTED, "", "the result: " + e.getMessage());
    } catch (Throwable e) {
      failed(e);
    }
  }

  private void failed(Throwable e) {
    if (e instanceof RpcException answer && answer.isAnswer()) {
      RpcStatus status = answer.status() == RpcStatus.CANCELLED ? cancellation() : answer.status();
      fail(status, Execution.EXECUTED, "", String.valueOf(e.getMessage()));
    } else {
      Downstream other = Downstream.in(e);
      boolean timeIsUp = other != null && other.status() == RpcStatus.DEADLINE_EXCEEDED && isLate();
      FileTrouble file = other == null ? FileTrouble.in(e) : null;
      RpcStatus undeclared = file == null ? RpcStatus.INTERNAL : file.status();
      undeclared = timeIsUp ? RpcStatus.DEADLINE_EXCEEDED : undeclared;
      String words = file == null ? null : file.words();
      words = other == null ? words : other.words();
      fail(
          isCancelled() ? cancellation() : undeclared,
          Execution.EXECUTED,
          e.getClass().getName(),
          words == null ? Thrown.fullWords(e) : words);
      boolean callersDoing = isCancelled() || timeIsUp || undeclared == RpcStatus.INVALID_ARGUMENT;
      tell(e, callersDoing);
    }
  }

  /** Tells this process of what a handler threw: its caller has no more than words. */
  private void tell(Throwable thrown, boolean callersDoing) {
    if (thrown instanceof VirtualMachineError) {
      MACHINE_ERROR.error("{} ended in an error of the virtual machine", method.fullName(), thrown);
    } else if (callersDoing) {
      if (LOG.isDebugEnabled()) {
        Thrown.log(LOG, Level.DEBUG, "{} threw", method.fullName(), thrown);
      }
    } else if (method.oneway()) {
      bug = thrown; // told with its peer
    } else {
      BUG.warn(
          "The handler of {} threw what its contract does not declare", method.fullName(), thrown);
    }
  }

  /**
   * Returns whether a call made inside this one has ended by this one's deadline. The time left
   * crosses in whole microseconds, so another process's end may come that much earlier.
   */
  private boolean isLate() {
    return deadlineNanos - host.loop().clock().nanoTime() <= INHERITED_WITHIN_NANOS;
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

  /** Answers in the name of a handler that has not come so far, for want of memory. */
  public void requireAnswer() {
    if (slot == null) {
      fail(RpcStatus.INTERNAL, Execution.EXECUTED, "", UNTOLD);
    }
  }

  /** Hands over the object that goes to the caller's landing; null if there is none. */
  public @Nullable OpenSource takeAnswer() {
    OpenSource taken = answer;
    answer = null;
    return taken;
  }

  @Override
  public WireOut error(int index, Exception thrown) {
    WireOut out = open(FrameKind.DECLARED_ERROR);
    out.writeVarInt(index);
    out.writeString(shortened(thrown.getClass().getName()));
    out.writeString(shortened(Thrown.fullWords(thrown)));
    return out;
  }

  private WireEncoder open(FrameKind kind) {
    Slot target = slot;
    if (target == null) {
      // A reply never waits for a slot: two peers full of requests can always answer.
      target = host.slots().claimSurely();
      slot = target;
    }
    target.header(FrameHeader.first(kind, 0), FrameHeader.third(id, 0));
    WireEncoder out = target.encoder();
    out.start(target.buffer(), BODY, host.limits().maxMessageBytes(), host.limits().maxDepth());
    if (kind != FrameKind.FAILURE && !method.oneway()) {
      out.takeOut(host.partCutOff(), host.resultParts());
    }
    return out;
  }

  private void seal() {
    Slot target = slot;
    if (target == null) {
      throw new AssertionError("no reply was opened");
    }
    target.encoded(BODY);
    long bytes = target.onHeap();
    if (bytes > 0) {
      target.charge(host.replyMemory(), bytes);
    }
    if (target.parts() instanceof OutgoingParts parts) {
      target.header(FrameHeader.withFlags(target.first(), FrameHeader.FLAG_PARTS), target.third());
      parts.charge(host.replyMemory());
      bytes += parts.copiedBytes();
    }
    replySize.took(bytes);
  }

  /** Makes the reply a failure, whatever was written before. */
  public void fail(RpcStatus status, Execution execution, String remoteType, String message) {
    if (method.oneway()) {
      problem = status + ": " + message;
      refused = execution == Execution.NOT_EXECUTED;
      return;
    }
    WireEncoder out = open(FrameKind.FAILURE);
    out.writeByte(status.code());
    out.writeByte(execution.code());
    out.writeString(shortened(remoteType));
    out.writeString(shortened(message));
    seal();
  }

  /**
   * Ends a call that no thread has taken, and none takes any more, whatever the executor still does
   * with it. One that a thread has taken goes on. On the loop.
   */
  public void refuse(RpcStatus status, String why) {
    answerUnlessTaken(status, why);
  }

  private boolean answerUnlessTaken(RpcStatus status, String why) {
    if (!take()) {
      return false;
    }
    fail(status, Execution.NOT_EXECUTED, "", why);
    host.replied(this);
    return true;
  }

  /** Returns why a one-way call was refused or failed, once; null if it did not. */
  public @Nullable String takeProblem() {
    String taken = problem;
    problem = null;
    return taken;
  }

  /** Returns what the handler of a one-way call threw, once; null if nothing that is a bug. */
  public @Nullable Throwable takeBug() {
    Throwable taken = bug;
    bug = null;
    return taken;
  }

  /** Returns whether it was refused. */
  public boolean wasRefused() {
    return refused;
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
      } catch (Throwable e) { // an executor is users' code
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
