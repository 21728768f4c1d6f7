package io.verbena.core.call;

import io.verbena.api.CallContext;
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
 * A call on its handler's side: what the dispatcher, the handler's thread and the user's code each
 * see of it. Dispatch and reply belong to the session's event loop; between them the handler's
 * thread alone touches the reply.
 *
 * <p>It is long, since whatever may end a call on this end (its handler, its deadline, its caller,
 * its session) meets here.
 */
public final class ServerCall extends ReplyMessage
    implements IncomingCall, CallContext, Runnable, DeadlineWatch.Timed {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final ThrottledLog MACHINE_ERROR =
      ThrottledLog.of(ServerCall.class, "handlers that ended in an error of the virtual machine");
  private static final ThrottledLog BUG =
      ThrottledLog.of(ServerCall.class, "handlers that threw what their contract does not declare");

  /** Asked instead of a new one, so that a call that is not recorded makes none. */
  private static final ServerCallEvent RECORDS = new ServerCallEvent();

  private static final String HANDLERS_FULL =
      "the peer's executor takes no handlers, it is full or shutting down: ";
  private static final String REPLIES_NOT_TAKEN =
      "its handler had to wait: the replies to earlier calls of its session, which its caller has"
          + " yet to take, have all the memory that they may";
  private static final String NOT_READ =
      "its arguments were yet to be read, one long message of its session after the other";
  private static final String UNTOLD = "its handler failed, and telling how failed, too";
  private static final String NEVER_RAN =
      "the peer's executor did not come to run its handler before its deadline";
  private static final long INHERITED_WITHIN_NANOS = 1_000_000;
  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final IncomingCalls incoming;
  private final Runnable invocation = this::invoke;

  /** Guards what tells who has the call, and whether anybody waits for its result. */
  private final Object lock = new Object();

  /** Whether a thread has taken the call, or it was answered without: only one of them may be. */
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
   * Gives back the memory that its arguments count for until its handler has ended, and its {@link
   * Admission.Place} where the server has a limit.
   */
  private @Nullable Runnable freeArguments;

  /** Whether its arguments have yet to be read, beside the loop. */
  private boolean unread;

  /** The stream among its arguments, if its method has streams. */
  private @Nullable CallStreams streams;

  /** Whether the executor was given it. On the loop. */
  private boolean handedOver;

  private long reserved;

  /** While its handler runs; null while none is recorded. */
  private @Nullable ServerCallEvent recorded;

  /** Why a one-way call was refused, or failed: nobody else would say so. */
  private @Nullable String problem;

  private boolean refused;

  /** What the handler of a one-way call threw; its peer is not told. */
  private @Nullable Throwable bug;

  /** What this process's log was told of already; of a call that has interceptors. */
  private @Nullable Throwable told;

  /** A handler behind its interceptors, which lie above calls. */
  public interface GuardedHandler extends Handler {
    /** Returns whether the user's method has begun. */
    boolean hasRun();
  }

  /** Puts interceptors before handlers. Safe for any thread. */
  @FunctionalInterface
  public interface Guard {
    /** Returns one for a call whose arguments were read. */
    GuardedHandler guarded(ServerCall call, Handler handler, @Nullable Object[] arguments);
  }

  /** A call that has just arrived. */
  ServerCall(
      IncomingCalls incoming,
      Calls host,
      LocalServices.Method served,
      Metadata metadata,
      long id,
      long deadlineNanos) {
    super(host, served, id);
    this.incoming = incoming;
    this.metadata = metadata;
    this.deadlineNanos = deadlineNanos;
  }

  /** Makes this object stand for another call, after one that ended on the loop. */
  void reuse(LocalServices.Method served, Metadata metadata, long id, long deadlineNanos) {
    this.served = served;
    this.method = served.descriptor;
    this.metadata = metadata;
    this.id = id;
    this.deadlineNanos = deadlineNanos;
    this.told = null;
    dropMetadata();
    if (cancelled || taken || onCancel != null) { // hardly ever, and a lock costs as much as a call
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

  /** Has the dispatcher read its arguments, streams among them. */
  void dispatch(Dispatcher dispatcher, WireDecoder in) {
    if (!served.streaming) {
      dispatcher.dispatch(method, in, this);
      return;
    }
    streams = host.streams().of(method, deadlineNanos, false);
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

  /** Its dispatcher passes the handler later, on the loop. */
  public void awaitsHandler() {
    incoming.stays(this);
  }

  private Handler guarded(Handler given, @Nullable Object[] arguments) {
    Guard guard = incoming.guard;
    return guard == null ? given : guard.guarded(this, given, arguments);
  }

  /** Takes what is to run, and runs it on the loop or hands it over, if that may be now. */
  @Override
  public void handle(Handler given) {
    boolean plain = given instanceof GuardedHandler || !isIntercepted();
    handler = plain ? given : guarded(given, NO_ARGUMENTS);
    if (unread) {
      return; // it starts in its turn
    }
    if (!incoming.mayStart(this)) {
      if (!served.oneway) {
        awaitDeadline();
      }
    } else if (!served.nonBlocking) {
      start();
    } else if (host.loop.enter(this)) {
      invoke();
    } else {
      host.loop.handle(invocation);
    }
  }

  /**
   * What its arguments take stays counted until its handler has ended.
   *
   * @param free gives it back
   * @param unread whether they are {@linkplain #read read} beside the loop
   */
  void holds(Runnable free, boolean unread) {
    freeArguments = freeArguments instanceof Admission.Place place ? place.with(free) : free;
    this.unread = unread;
    if (unread && !served.oneway) {
      awaitDeadline();
    }
  }

  /** It has a place at a server with a limit. */
  void has(Admission.Place place) {
    freeArguments = freeArguments == null ? place : place.with(freeArguments);
  }

  /** Its handler does not run: so it says nothing of how long calls take. */
  void neverRan() {
    if (freeArguments instanceof Admission.Place place) {
      place.countsNot();
    }
  }

  /** It waits for its peer, and has no place meanwhile. */
  void awaitsPeer() {
    if (freeArguments instanceof Admission.Place place) {
      place.pause();
    }
  }

  /** Has the dispatcher read its arguments, on a thread beside the loop. */
  void read(Dispatcher dispatcher, WireDecoder in) {
    if (isCancelled()) {
      return;
    }
    dispatch(dispatcher, in);
    if (handler == null) {
      throw new IllegalStateException("the dispatcher of " + method + " has passed no handler");
    }
  }

  /** Reading its arguments beside the loop has ended. */
  void wasRead() {
    unread = false;
  }

  /** Ends a call that nobody waits for any more, before its arguments were read. */
  void refuseUnread() {
    refuse(stopped(), NOT_READ);
  }

  private void awaitDeadline() {
    timed = true;
    incoming.awaitDeadline(this);
  }

  /** Starts the handler of a call that has waited, unless nobody waits for the call any more. */
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
      if (host.loop.enter(this)) {
        invoke();
      } else {
        host.loop.handle(invocation);
      }
      return;
    }
    if (!served.oneway) { // nobody waits for it
      awaitDeadline();
    }
    handedOver = true;
    try {
      incoming.execute(this);
    } catch (Throwable e) { // an executor is users' code
      refuse(RpcStatus.RESOURCE_EXHAUSTED, HANDLERS_FULL + Thrown.words(e));
    }
  }

  /** Its turn with the executor comes again later. */
  private void putOff() {
    handedOver = false;
    synchronized (lock) {
      taken = false;
    }
    incoming.putOff(this);
  }

  /** Returns what its reply may take beyond a slot, or {@link LocalServices.Method#UNKNOWN}. */
  long expectedReply() {
    return served.oneway ? 0 : served.expectedReply();
  }

  /** Returns what was reserved for its reply. */
  long reserved() {
    return reserved;
  }

  /** Says what was reserved for its reply. */
  void reserved(long bytes) {
    reserved = bytes;
  }

  /** Returns whether the dispatcher has read its arguments, and passed a handler. */
  boolean isHandled() {
    return !unread && handler != null;
  }

  /** Forgets the handler and the deadline, once the reply is on its way. */
  void close() {
    Runnable free = freeArguments;
    if (free != null) {
      freeArguments = null;
      free.run();
    }
    handler = null;
    streams = null;
    timed = false;
    host.loop.timers().cancel(timer);
    timer = Timers.NONE;
  }

  /** Its peer is gone: its handler hears of that, and none begins after the deadline. */
  void orphaned() {
    cancel();
    if (timed) {
      timer = host.loop.timers().schedule(deadlineNanos, now -> expire());
    }
  }

  @Override
  public void expire() {
    timed = false;
    if (handedOver && answerUnlessTaken(RpcStatus.DEADLINE_EXCEEDED, NEVER_RAN)) {
      return; // its executor is busy, or has dropped it
    }
    synchronized (lock) {
      expired = !cancelled; // from now on a cancellation is for the time that is up
    }
    cancel();
  }

  // ---- on the handler's thread ----

  @Override
  public void run() {
    if (!takes()) {
      return; // answered already, or run twice by an executor
    }
    if (!incoming.mayRun(this)) {
      host.loop.execute(this::putOff);
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
        Thread.interrupted(); // a cancellation is this call's, not the next one's on that thread
      }
      host.loop.execute(() -> incoming.replied(this));
    }
  }

  /** Returns whether nobody had taken the call: it is the asker's now. */
  private boolean takes() {
    synchronized (lock) {
      boolean first = !taken;
      taken = true;
      return first;
    }
  }

  /** Its handler begins on this thread, which a cancellation interrupts. */
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
      if (RECORDS.isEnabled() && !OwnService.has(method)) { // that one waits for items
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

  /** It is answered: whatever recording it throws, an answer that was made on the loop leaves. */
  private void ended(@Nullable ServerCallEvent event) {
    try {
      if (event != null) {
        recorded = null;
        event.ended(method, host.session);
      }
    } finally {
      if (served.nonBlocking) {
        host.loop.leave();
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
    } catch (Throwable e) { // what the answer is made of is users' code, too
      dropMetadata();
      fail(RpcStatus.INTERNAL, Execution.EXECUTED, e.getClass().getName(), UNTOLD);
    }
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

  /** Returns whether a handler answers that the caller may as well try elsewhere. */
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
      return RpcStatus.RESOURCE_EXHAUSTED; // its result fits into no message
    }
    try {
      return failure(thrown).status();
    } catch (Throwable e) { // its words are users' code, too
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
   * Tells the log of what the first interceptor is about to be thrown, while it is still around it:
   * its trace is current then. What it makes of that is told apart.
   */
  @SuppressWarnings("CatchingUnchecked") // what was thrown is users' code
  public void tellEarly(Throwable thrown, boolean ran) {
    if (thrown instanceof WireException) {
      return; // its caller is told
    }
    try {
      tell(failure(thrown), thrown, ran);
      told = thrown;
    } catch (Throwable broken) {
      // Said where the call is answered.
    }
  }

  /**
   * Tells this process of what was thrown: the caller has no more than words.
   *
   * @param ran whether it was the handler, and not an interceptor before it
   */
  private void tell(HandlerFailure failure, Throwable thrown, boolean ran) {
    if (failure.whose() == Whose.NOBODYS || OwnService.has(method)) { // its stream tells
      return;
    }
    if (thrown instanceof VirtualMachineError) {
      MACHINE_ERROR.error("{} ended in an error of the virtual machine", method, thrown);
    } else if (failure.whose() == Whose.CALLERS) {
      if (LOG.isDebugEnabled()) {
        Thrown.log(LOG, Level.DEBUG, "{} threw", method, thrown);
      }
    } else if (served.oneway) {
      bug = thrown; // told together with the peer that made the call
    } else {
      String who = ran ? "The handler" : "An interceptor before the handler";
      BUG.warn(who + " of {} threw what its contract does not declare", method, thrown);
    }
  }

  /**
   * Returns whether a call made inside this one has ended by this one's deadline. The time left
   * crosses in whole microseconds, so another process's end may come that much earlier.
   */
  private boolean isLate() {
    return deadlineNanos - host.loop.clock().nanoTime() <= INHERITED_WITHIN_NANOS;
  }

  /** Answers in the name of a handler that has not come so far, for want of memory. */
  void requireAnswer() {
    if (isBlank()) {
      fail(RpcStatus.INTERNAL, Execution.EXECUTED, "", UNTOLD);
    }
  }

  /** Makes the reply a failure, whatever was written before. */
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
   * Ends a call that no thread has taken, and none takes any more, whatever the executor still does
   * with it. One that a thread has taken goes on. On the loop.
   */
  void refuse(RpcStatus status, String why) {
    answerUnlessTaken(status, why);
  }

  private boolean answerUnlessTaken(RpcStatus status, String why) {
    if (!takes()) {
      return false;
    }
    if (status != RpcStatus.DEADLINE_EXCEEDED) { // that it waited so long says much
      neverRan();
    }
    fail(status, Execution.NOT_EXECUTED, "", why);
    incoming.replied(this);
    return true;
  }

  /** Returns why a one-way call was refused or failed, once; null if it did not. */
  @Nullable String takeProblem() {
    String taken = problem;
    problem = null;
    return taken;
  }

  /** Returns what the handler of a one-way call threw, once; null if nothing that is a bug. */
  @Nullable Throwable takeBug() {
    Throwable taken = bug;
    bug = null;
    return taken;
  }

  /** Returns whether it was refused. */
  boolean wasRefused() {
    return refused;
  }

  @Override
  public void numbered(long sequence) {
    forgetStreams();
    incoming.reusable(this);
  }

  // ---- cancellation ----

  /** Tells the handler that nobody waits for its result: interrupts it and runs its actions. */
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
    due.forEach(host::runUsers);
  }

  /** What to call it that a handler was stopped: its reply may come before its caller's timer. */
  private RpcStatus stopped() {
    synchronized (lock) {
      return expired ? RpcStatus.DEADLINE_EXCEEDED : RpcStatus.CANCELLED;
    }
  }

  @Override
  public Session session() {
    return host.session;
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - host.loop.clock().nanoTime()));
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
