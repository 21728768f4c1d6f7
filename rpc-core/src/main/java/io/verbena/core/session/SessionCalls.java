package io.verbena.core.session;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.memory.BulkMemory;
import io.verbena.core.bulk.parts.LargeValuesOut;
import io.verbena.core.bulk.transfer.CallTransfers;
import io.verbena.core.call.CallHost;
import io.verbena.core.call.CallWindow;
import io.verbena.core.call.Interceptors;
import io.verbena.core.call.LandingCall;
import io.verbena.core.call.OnewayCounters;
import io.verbena.core.call.PendingCall;
import io.verbena.core.call.ServerCall;
import io.verbena.core.call.SessionStreams;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.sequence.Outgoing;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.memory.SlotShare;
import io.verbena.link.runtime.OwnThreads;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls of a session, both ways, and what each of them needs of it. */
final class SessionCalls implements CallHost {
  private final SessionImpl session;
  private final CallWindow window;
  private final OutgoingCalls outgoing;
  private final IncomingCalls incoming;
  private final OnewayCounters oneways;
  private final Supplier<LargeValuesOut> borrowedParts;
  private final Supplier<LargeValuesOut> copiedParts;
  private final Supplier<LargeValuesOut> resultParts;

  /** Made for the first call with one. */
  private volatile @Nullable SessionStreams streams;

  /** The calls of a session that has its memory and its services. */
  SessionCalls(SessionImpl session, LocalServices services) {
    this.session = session;
    this.window = new CallWindow(session.limits().maxCalls());
    this.outgoing = new OutgoingCalls(session);
    this.incoming = new IncomingCalls(session, this, services);
    this.oneways = new OnewayCounters(session.context().oneways());
    BulkMemory bulk = session.context().bulk().memory();
    Quota.Share results = session.memory().values();
    this.borrowedParts = () -> new LargeValuesOut(bulk, null, true);
    this.copiedParts = () -> new LargeValuesOut(bulk, null, false);
    this.resultParts = () -> new LargeValuesOut(bulk, results, false);
  }

  /** Returns those that this end has made. */
  OutgoingCalls outgoing() {
    return outgoing;
  }

  /** Returns those that the peer has made. */
  IncomingCalls incoming() {
    return incoming;
  }

  @Override
  public void start(PendingCall<?> call) {
    if (session.isEnded() || session.isClosing()) {
      refuse(call, "the session is closed: " + session.path().reason());
      return;
    }
    if (!session.drain().lets(call)
        && (!session.role().callsWait() || SessionStreams.isNext(call.method()))) {
      refuse(call, "the peer shuts down");
      return;
    }
    outgoing.start(call);
    session.remoteServices().send(call);
  }

  @Override
  public void mayLeave() {
    session.remoteServices().sendEarly();
  }

  private void refuse(PendingCall<?> call, String why) {
    call.fail(RpcStatus.UNAVAILABLE, why);
    call.close();
    window.release();
  }

  @Override
  public SessionStreams streams() {
    SessionStreams known = streams;
    if (known == null) {
      synchronized (this) {
        known = streams;
        if (known == null) {
          known = new SessionStreams(this);
          streams = known;
        }
      }
    }
    return known;
  }

  /** The peer is gone, and with it the other ends of all streams. On the loop. */
  void peerLost(RpcStatus status, String reason) {
    incoming.peerLost();
    SessionStreams known = streams;
    if (known != null) {
      known.peerLost(status, reason);
    }
  }

  /** Returns whether streams of the peer's have not ended, or calls that may answer with one. */
  boolean takesStreams() {
    SessionStreams known = streams;
    return (known != null && known.takesSome()) || outgoing.awaitStreams();
  }

  @Override
  public void streamEnded() {
    session.loop().execute(session.drain()::sayLastCallIfDue);
  }

  @Override
  public AtomicInteger streamsSent() {
    return session.context().streamsSent();
  }

  @Override
  public void abandoned(PendingCall<?> call) {
    outgoing.abandoned(call);
  }

  @Override
  public @Nullable String obstacle() {
    return session.isAttached() ? null : session.role().obstacle();
  }

  @Override
  public CallTransfers.AwaitedAnswer awaitAnswer(LandingCall call, Landing into) {
    String name = call.method().fullName();
    return session
        .transfers()
        .calls()
        .await(call.id(), name, into, call::received, call::answerFailed);
  }

  @Override
  public int longestMessage() {
    return session.pathCosts().longestMessage();
  }

  @Override
  public long partCutOff() {
    return session.pathCosts().cutOffs().beside();
  }

  @Override
  public Supplier<LargeValuesOut> resultParts() {
    return resultParts;
  }

  @Override
  public Supplier<LargeValuesOut> parts(boolean borrows) {
    return borrows ? borrowedParts : copiedParts;
  }

  @Override
  public void sendParts(
      long callId, MethodDescriptor<?> method, boolean request, LargeValuesOut parts) {
    session.transfers().calls().sendParts(callId, request, method.fullName(), parts);
  }

  @Override
  public void onewaySent(PendingCall<?> call) {
    outgoing.onewaySent(call);
  }

  @Override
  public void onewayUnsent(RpcException failure) {
    outgoing.onewayUnsent(failure);
  }

  @Override
  public void execute(ServerCall call) {
    incoming.oneways().execute(call);
  }

  /** Returns where one-way calls are counted that were not simply executed. Safe for any thread. */
  OnewayCounters oneways() {
    return oneways;
  }

  @Override
  public void enqueue(Outgoing message) {
    session.enqueue(message);
  }

  @Override
  public Quota.Share arrivalMemory() {
    return session.memory().assemblies();
  }

  @Override
  public Quota.Share replyMemory() {
    return session.memory().replies();
  }

  @Override
  public void awaitDeadline(ServerCall call) {
    incoming.awaitDeadline(call);
  }

  @Override
  public boolean mayStart(ServerCall call) {
    return incoming.mayStart(call);
  }

  @Override
  public boolean mayRun(ServerCall call) {
    return incoming.mayRun(call);
  }

  @Override
  public void putOff(ServerCall call) {
    incoming.putOff(call);
  }

  @Override
  public void replied(ServerCall call) {
    incoming.replied(call);
  }

  @Override
  public void reusable(ServerCall call) {
    incoming.reusable(call);
  }

  @Override
  public long lastAcknowledged() {
    return session.outbox().acknowledged();
  }

  @Override
  public EventLoop loop() {
    return session.context().loop();
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public SessionLimits limits() {
    return session.context().limits();
  }

  @Override
  public Interceptors interceptors() {
    return session.context().interceptors();
  }

  @Override
  public SlotPool slots() {
    return session.context().slots();
  }

  @Override
  public SlotShare slotShare() {
    return session.memory().slots();
  }

  @Override
  public void runUsers(Runnable users) {
    SessionContext context = session.context();
    context.loop().runSurely(context.handlers(), context.workers().waiting(), users);
  }

  @Override
  public void runWaiting(Runnable task, Consumer<Throwable> failed) {
    OwnThreads.hand(session.context().workers().waiting(), task, failed);
  }

  @Override
  public CallWindow window() {
    return window;
  }
}
