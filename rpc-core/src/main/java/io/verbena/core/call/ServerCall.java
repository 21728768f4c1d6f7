package io.verbena.core.call;

import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.stub.CallScope;
import io.verbena.api.stub.Dispatcher;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.WireDecoder;
import io.verbena.core.LateCall;
import io.verbena.core.call.HandlerFailure.Whose;
import io.verbena.core.contract.LocalServices;
import io.verbena.core.contract.OwnService;
import io.verbena.core.loop.DeadlineWatch;
import io.verbena.core.loop.Timers;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A call on its handler's side, for the dispatcher, the handler's thread and user code. Dispatch
 * and reply belong to the session's event loop. Between them only the handler's thread uses the
 * reply.
 *
 * <p>The class is long, because all causes that end a call at this end meet here: handler,
 * deadline, caller and session.
 */
public final class ServerCall extends ReplyMessage
    implements IncomingCall, LateCall, Runnable, DeadlineWatch.Timed {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final ThrottledLog MACHINE_ERROR =
      ThrottledLog.of(ServerCall.class, "handlers that ended in an error of the virtual machine");
  private static final ThrottledLog BUG =
      ThrottledLog.of(ServerCall.class, "handlers that threw undeclared exceptions");

  /** Used to check whether events are recorded, so that no event is allocated if they are not. */
  private static final ServerCallEvent RECORDS = new ServerCallEvent();

  private static final String HANDLERS_FULL =
      "the peer's executor accepts no handlers, because it is full or shutting down: ";
  private static final String REPLIES_NOT_TAKEN =
      "its handler had to wait: replies to earlier calls of its session, which its caller has"
          + " not received yet, use all the memory for replies";
  private static final String NOT_READ =
      "its arguments had not been read yet: long messages of a session are read one by one";
  private static final String UNTOLD =
      "its handler failed, and so did the description of its failure";
  private static final String NEVER_RAN =
      "the peer's executor had no thread for its handler before its deadline";
  private static final long INHERITED_WITHIN_NANOS = 1_000_000;
  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final IncomingCalls incoming;
  private final Runnable invocation = this::invoke;

  /** Guards the owner of the call and whether its result is wanted. */
  private final Object lock = new Object();

  /**
   * Whether a thread has taken the call, or it was answered without one. Only one of them may
   * happen.
   */
  private boolean taken;

  private boolean cancelled;
  private boolean expired;
  private @Nullable Thread runner;
  private @Nullable List<Runnable> onCancel;

  private Metadata metadata;
  private long deadlineNanos;
  private long timer = Timers.NONE;
  private boolean timed;
  private @Nullable Handler handler;

  /**
   * Releases the memory of its arguments when its handler has ended, and its {@link
   * Admission.Place} if the server has a limit.
   */
  private @Nullable Runnable freeArguments;

  /** Whether its arguments are still to be read beside the loop. */
  private boolean unread;

  /** Whether its dispatcher may return before it has passed the handler. */
  private volatile boolean late;

  /** The stream among its arguments, if its method has streams. */
  private @Nullable CallStreams streams;

  /** Whether it was passed to the executor. On the loop. */
  private boolean handedOver;

  /** The event of its running handler; null if none is recorded. */
  private @Nullable ServerCallEvent recorded;

  /** The reason why a one-way call was refused or failed, for the log. */
  private @Nullable String problem;

  private boolean refused;

  /** The exception of a one-way call's handler, for the log. */
  private @Nullable Throwable bug;

  /** The exception that was logged already, for a call with interceptors. */
  private @Nullable Throwable told;

  /** A handler behind its interceptors. */
  public interface GuardedHandler extends Handler {
    /** Returns whether the user's method has begun. */
    boolean hasRun();
  }

  /** Puts interceptors before handlers. Safe for use by any thread. */
  @FunctionalInterface
  public interface Guard {
    /** Returns the guarded handler of a call whose arguments were read. */
    GuardedHandler guarded(ServerCall call, Handler handler, @Nullable Object[] arguments);
  }

  ServerCall(
      IncomingCalls incoming,
      Calls calls,
      LocalServices.Method served,
      Metadata metadata,
      long id,
      long deadlineNanos) {
    super(calls, served, id);
    this.incoming = incoming;
    this.metadata = metadata;
    this.deadlineNanos = deadlineNanos;
  }

  /** Reuses this object for another call, after one that ended on the loop. */
  void reuse(LocalServices.Method served, Metadata metadata, long id, long deadlineNanos) {
    this.served = served;
    this.method = served.descriptor;
    this.metadata = metadata;
    this.id = id;
    this.deadlineNanos = deadlineNanos;
    this.told = null;
    this.late = false;
    dropMetadata();
    if (cancelled || taken || onCancel != null) { // rare, and a lock costs as much as a call
      synchronized (lock) {
        cancelled = false;
        expired = false;
        taken = false;
        onCancel = null;
      }
    }
  }

  @Override
  public Metadata metadata() {
    return metadata;
  }

  /** Returns the deadline in nanoseconds of the session's clock. */
  @Override
  public long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public boolean isTimed() {
    return timed;
  }

  // ---- on the loop: dispatch ----

  /** Lets the dispatcher read the arguments, with their streams. */
  void dispatch(Dispatcher dispatcher, WireDecoder in) {
    if (!served.streaming) {
      dispatcher.dispatch(method, in, this);
      return;
    }
    streams = calls.streams().of(method, deadlineNanos, false);
    in.streams(streams);
    try {
      dispatcher.dispatch(method, in, this);
    } finally {
      in.streams(null);
    }
  }

  @Override
  public boolean isIntercepted() {
    return incoming.guard != null && !OwnService.has(method);
  }

  @Override
  public void handle(Handler handler, @Nullable Object[] arguments) {
    handle(guarded(handler, arguments));
  }

  /** The dispatcher will pass the handler later, on the loop. */
  public void awaitHandler() {
    late = true;
    if (calls.loop.isOwner()) {
      incoming.keepRunning(this);
    }
  }

  /** Returns whether the handler comes after the dispatcher has returned, and has not come yet. */
  boolean awaitsLateHandler() {
    return late && handler == null;
  }

  @Override
  public void answer(Handler handler) {
    if (calls.loop.isOwner()) {
      handle(handler);
    } else {
      calls.loop.execute(() -> handle(handler));
    }
  }

  private Handler guarded(Handler given, @Nullable Object[] arguments) {
    Guard guard = incoming.guard;
    return guard == null ? given : guard.guarded(this, given, arguments);
  }

  /** Accepts the handler. If it may start now, it runs on the loop or is passed to the executor. */
  @Override
  public void handle(Handler given) {
    boolean plain = given instanceof GuardedHandler || !isIntercepted();
    handler = plain ? given : guarded(given, NO_ARGUMENTS);
    if (unread) {
      return; // it starts when its turn comes
    }
    if (!incoming.mayStart(this)) {
      if (!served.oneway) {
        awaitDeadline();
      }
    } else if (!served.nonBlocking) {
      start();
    } else if (calls.loop.enter(this)) {
      invoke();
    } else {
      calls.loop.handle(invocation);
    }
  }

  /**
   * Keeps the memory of the arguments counted until the handler has ended.
   *
   * @param free releases it
   * @param unread whether the arguments are {@linkplain #read read} beside the loop
   */
  void hold(Runnable free, boolean unread) {
    freeArguments = freeArguments instanceof Admission.Place place ? place.with(free) : free;
    this.unread = unread;
    if (unread && !served.oneway) {
      awaitDeadline();
    }
  }

  /** Sets the place of the call at a server with a limit. */
  void setPlace(Admission.Place place) {
    freeArguments = freeArguments == null ? place : place.with(freeArguments);
  }

  /** The handler does not run, so its duration must not count. */
  void neverRan() {
    if (freeArguments instanceof Admission.Place place) {
      place.ignoreDuration();
    }
  }

  /** The call waits for its peer and has no place meanwhile. */
  void awaitPeer() {
    if (freeArguments instanceof Admission.Place place) {
      place.pause();
    }
  }

  /** Lets the dispatcher read the arguments, on a thread beside the loop. */
  void read(Dispatcher dispatcher, WireDecoder in) {
    if (isCancelled()) {
      return;
    }
    dispatch(dispatcher, in);
    if (handler == null && !late) {
      throw new IllegalStateException("the dispatcher of " + method + " has passed no handler");
    }
  }

  /** Reading the arguments beside the loop has ended. */
  void argumentsRead() {
    unread = false;
  }

  /** Ends a call that is no longer wanted, before its arguments were read. */
  void refuseUnread() {
    refuse(stopped(), NOT_READ);
  }

  private void awaitDeadline() {
    timed = true;
    incoming.awaitDeadline(this);
  }

  /** Starts the handler of a call that has waited, unless the call is no longer wanted. */
  void startLate() {
    timed = false;
    if (freeArguments instanceof Admission.Place place) {
      place.resume();
    }
    if (isCancelled()) {
      refuse(stopped(), REPLIES_NOT_TAKEN);
    } else {
      start();
    }
  }

  private void start() {
    if (served.nonBlocking) {
      if (calls.loop.enter(this)) {
        invoke();
      } else {
        calls.loop.handle(invocation);
      }
      return;
    }
    if (!served.oneway) { // it is no longer wanted
      awaitDeadline();
    }
    handedOver = true;
    try {
      incoming.execute(this);
    } catch (Throwable e) { // an executor is users' code
      refuse(RpcStatus.RESOURCE_EXHAUSTED, HANDLERS_FULL + Thrown.words(e));
    }
  }

  /** Postpones the call; its turn with the executor comes again. */
  private void putOff() {
    handedOver = false;
    synchronized (lock) {
      taken = false;
    }
    incoming.putOff(this);
  }

  /**
   * Returns the estimated memory of its reply beyond a slot, or {@link
   * LocalServices.Method#UNKNOWN}.
   */
  long expectedReply() {
    return served.oneway ? 0 : served.expectedReply();
  }

  /** Returns whether the dispatcher has passed a handler. */
  boolean isHandled() {
    return !unread && handler != null;
  }

  /** Forgets the handler and the deadline, when the reply was queued. */
  void close() {
    Runnable free = freeArguments;
    if (free != null) {
      freeArguments = null;
      free.run();
    }
    handler = null;
    streams = null;
    timed = false;
    calls.loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  /**
   * The peer is gone. A running handler is notified, and a waiting one will not start after the
   * deadline.
   */
  void orphaned() {
    cancel();
    if (timed) {
      timer = calls.loop.timers().schedule(deadlineNanos, now -> expire());
    }
  }

  @Override
  public void expire() {
    timed = false;
    if (handedOver && answerUnlessTaken(RpcStatus.DEADLINE_EXCEEDED, NEVER_RAN)) {
      return; // the executor is busy, or has dropped it
    }
    synchronized (lock) {
      expired = !cancelled; // from now on a cancellation means that the deadline has passed
    }
    cancel();
  }

  // ---- on the handler's thread ----

  @Override
  public void run() {
    if (!takes()) {
      return; // answered already, or run twice by the executor
    }
    if (!incoming.mayRun(this)) {
      calls.loop.execute(this::putOff);
      return;
    }
    handlerBegins();
    try {
      ScopedValue.where(CallScope.CURRENT, new CallScope(this)).run(invocation);
    } finally {
      synchronized (lock) {
        runner = null;
        onCancel = null;
      }
      if (!Thread.currentThread().isVirtual()) {
        Thread.interrupted(); // the interrupt is not for the next call on that thread
      }
      calls.loop.execute(() -> incoming.replied(this));
    }
  }

  /** Takes the call. Returns false if it was taken before. */
  private boolean takes() {
    synchronized (lock) {
      boolean first = !taken;
      taken = true;
      return first;
    }
  }

  /** The handler begins on this thread, which a cancellation will interrupt. */
  private void handlerBegins() {
    synchronized (lock) {
      runner = Thread.currentThread();
      if (cancelled) {
        runner.interrupt();
      }
    }
  }

  private void invoke() {
    ServerCallEvent event = null;
    Handler runs = Objects.requireNonNull(handler);
    try {
      if (RECORDS.isEnabled() && !OwnService.has(method)) { // that call waits for items
        event = new ServerCallEvent();
        event.begin();
        recorded = event;
      }
      runs.run(this);
      if (isBlank()) {
        result(); // the method returned nothing
      }
      seal();
    } catch (Throwable e) {
      failed(runs, e);
    } finally {
      ended(event);
    }
  }

  /**
   * The call is answered. If recording it throws, an answer that was made on the loop is still
   * sent.
   */
  private void ended(@Nullable ServerCallEvent event) {
    try {
      if (event != null) {
        recorded = null;
        event.ended(method, calls.session);
      }
    } finally {
      if (served.nonBlocking) {
        calls.loop.leave();
        incoming.replied(this);
      }
    }
  }

  private void failed(Handler runs, Throwable thrown) {
    try {
      if (thrown instanceof WireException e) {
        fail(RpcStatus.RESOURCE_EXHAUSTED, executionOf(runs), "", "the result: " + e.getMessage());
      } else {
        failed(thrown, saysNotExecuted(thrown) ? Execution.NOT_EXECUTED : executionOf(runs));
      }
    } catch (Throwable e) { // the answer runs user code, too
      dropMetadata();
      fail(RpcStatus.INTERNAL, Execution.EXECUTED, e.getClass().getName(), UNTOLD);
    }
  }

  @Override
  void awaitMemory(long bytes) {
    incoming.awaitMemory(this, bytes);
  }

  @Override
  public WireOut error(int index, Exception thrown) {
    record(ClientCallEvent.DECLARED);
    return super.error(index, thrown);
  }

  private void record(String status) {
    ServerCallEvent event = recorded;
    if (event != null) {
      event.status = status;
    }
  }

  /** Returns whether a handler answers that it has not executed the call. */
  private static boolean saysNotExecuted(Throwable thrown) {
    return thrown instanceof RpcException told
        && told.isAnswer()
        && told.execution() == Execution.NOT_EXECUTED;
  }

  private static Execution executionOf(Handler runs) {
    boolean ran = !(runs instanceof GuardedHandler way) || way.hasRun();
    return ran ? Execution.EXECUTED : Execution.NOT_EXECUTED;
  }

  @Override
  public RpcStatus statusOf(Throwable thrown) {
    if (thrown instanceof WireException) {
      return RpcStatus.RESOURCE_EXHAUSTED; // its result does not fit in a message
    }
    try {
      return failure(thrown).status();
    } catch (Throwable e) { // its message is user code, too
      return RpcStatus.INTERNAL;
    }
  }

  private HandlerFailure failure(Throwable thrown) {
    return HandlerFailure.of(thrown, streams, stopped(), isCancelled(), isLate());
  }

  private void failed(Throwable thrown, Execution execution) {
    HandlerFailure failure = failure(thrown);
    if (!failure.metadata().isEmpty()) {
      replyMetadata(replyMetadata().plus(failure.metadata()));
    }
    fail(failure.status(), execution, failure.type(), failure.words());
    if (told != thrown) {
      tell(failure, thrown, execution == Execution.EXECUTED);
    }
    told = null;
  }

  /**
   * Logs an exception before it reaches the first interceptor, while the interceptor's trace
   * context is still current. The interceptor's own exception is logged separately.
   */
  @SuppressWarnings("CatchingUnchecked") // exceptions are user code
  public void tellEarly(Throwable thrown, boolean ran) {
    if (thrown instanceof WireException) {
      return; // its caller receives it
    }
    try {
      tell(failure(thrown), thrown, ran);
      told = thrown;
    } catch (Throwable broken) {
      // It is reported where the call is answered.
    }
  }

  /**
   * Logs an exception in this process, because the caller only receives a text.
   *
   * @param ran whether the handler threw it, not an interceptor before it
   */
  private void tell(HandlerFailure failure, Throwable thrown, boolean ran) {
    if (failure.whose() == Whose.NOBODYS || OwnService.has(method)) { // its stream reports it
      return;
    }
    if (thrown instanceof VirtualMachineError) {
      MACHINE_ERROR.error("{} ended in an error of the virtual machine", method, thrown);
    } else if (failure.whose() == Whose.CALLERS) {
      if (LOG.isDebugEnabled()) {
        Thrown.log(LOG, Level.DEBUG, "{} threw", method, thrown);
      }
    } else if (served.oneway) {
      bug = thrown; // logged later, with the peer that made the call
    } else {
      String who = ran ? "The handler" : "An interceptor before the handler";
      BUG.warn(
          who + " of {} threw an exception that its contract does not declare", method, thrown);
    }
  }

  /**
   * Returns whether a call made inside this one has ended by this one's deadline. The time left is
   * sent in whole microseconds, so the other process may end it that much earlier.
   */
  private boolean isLate() {
    return deadlineNanos - calls.loop.clock().nanoTime() <= INHERITED_WITHIN_NANOS;
  }

  /** Answers for a handler that could not answer because of a lack of memory. */
  void requireAnswer() {
    if (isBlank()) {
      fail(RpcStatus.INTERNAL, Execution.EXECUTED, "", UNTOLD);
    }
  }

  void fail(RpcStatus status, Execution execution, String remoteType, String message) {
    record(status.name());
    if (served.oneway) {
      problem = status + ": " + message;
      refused = execution == Execution.NOT_EXECUTED;
      return;
    }
    failure(status, execution, remoteType, message);
  }

  /**
   * Ends a call that no thread has taken. Afterwards no thread can take it, even if the executor
   * still runs it. A call that a thread has taken continues. On the loop.
   */
  void refuse(RpcStatus status, String why) {
    answerUnlessTaken(status, why);
  }

  private boolean answerUnlessTaken(RpcStatus status, String why) {
    if (!takes()) {
      return false;
    }
    if (status != RpcStatus.DEADLINE_EXCEEDED) { // its long wait must count
      neverRan();
    }
    fail(status, Execution.NOT_EXECUTED, "", why);
    incoming.replied(this);
    return true;
  }

  /** Returns once the reason why a one-way call was refused or failed; null if it was not. */
  @Nullable String takeProblem() {
    String taken = problem;
    problem = null;
    return taken;
  }

  /**
   * Returns once the exception of a one-way call's handler; null if there was none, or none that is
   * a bug.
   */
  @Nullable Throwable takeBug() {
    Throwable taken = bug;
    bug = null;
    return taken;
  }

  boolean wasRefused() {
    return refused;
  }

  @Override
  public void numbered(long sequence) {
    forgetStreams();
    incoming.reusable(this);
  }

  // ---- cancellation ----

  /** Cancels the handler: interrupts it and runs its actions. */
  public void cancel() {
    List<Runnable> due;
    synchronized (lock) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      due = onCancel == null ? List.of() : onCancel;
      onCancel = null;
      if (runner != null) {
        runner.interrupt();
      }
    }
    due.forEach(calls::runUsers);
  }

  @Override
  void endInterrupts() {
    synchronized (lock) {
      runner = null;
    }
  }

  /**
   * Returns the status of a stopped handler, whose reply may arrive before the caller's timer
   * expires.
   */
  private RpcStatus stopped() {
    synchronized (lock) {
      return expired ? RpcStatus.DEADLINE_EXCEEDED : RpcStatus.CANCELLED;
    }
  }

  @Override
  public Session session() {
    return calls.session;
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - calls.loop.clock().nanoTime()));
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
