package io.verbena.core.call;

import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.Priority;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.codec.WireDecoder;
import io.verbena.core.contract.LocalServices;
import io.verbena.core.contract.OwnService;
import io.verbena.core.contract.RemoteServices;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.DeadlineWatch;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.ControlFrame;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.LargeValueTable;
import io.verbena.link.memory.Memory;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/** The peer's calls in progress at this end. */
public final class IncomingCalls implements Participant {
  private static final ThrottledLog UNLOADED =
      ThrottledLog.of(IncomingCalls.class, "calls whose arguments lack a class");
  private static final int MOST_REUSABLE = 64;

  /** Puts interceptors before handlers; null if there are none. */
  final ServerCall.@Nullable Guard guard;

  private final SessionImpl session;
  private final Calls calls;
  private final RemoteServices contracts;
  private final LocalServices services;
  private int carried;
  public final IncomingOneways oneways;
  private final MessagesAwaitingValues awaitingValues;
  private final Long2ObjectHashMap<ServerCall> byId = new Long2ObjectHashMap<>();
  private final ArrayDeque<ServerCall> reusable = new ArrayDeque<>();

  private final HandlerStarts starts;
  private final DeadlineWatch deadlines;

  /** Admits calls; null if the server has no limit. */
  private final @Nullable Admission admission;

  /** Whether this end may refuse calls that it could serve. */
  private final boolean chooses;

  /** The place of the call that is being handled. */
  private Admission.@Nullable Place place;

  /**
   * The highest number of a call that has arrived. Grants for a call's answer arrive before the
   * call.
   */
  private long lastCallId;

  /** The call whose handler runs on the loop now. No other message can refer to it meanwhile. */
  private @Nullable ServerCall running;

  public IncomingCalls(
      Calls calls,
      RemoteServices contracts,
      ServerCall.@Nullable Guard guard,
      @Nullable Admission admission) {
    this.guard = guard;
    this.admission = admission;
    this.session = calls.session;
    this.chooses = admission != null || !session.servesAlways();
    this.calls = calls;
    this.contracts = contracts;
    this.services = contracts.local();
    this.starts = new HandlerStarts(calls);
    this.oneways = new IncomingOneways(calls);
    this.awaitingValues =
        new MessagesAwaitingValues(calls, true, this::refuse, this::peerLostBefore);
    this.deadlines = new DeadlineWatch(calls.loop, () -> new ArrayList<>(byId.values()));
  }

  /** Returns the requests that wait for their large values. */
  public Participant awaitingValues() {
    return awaitingValues;
  }

  public int size() {
    return byId.size();
  }

  /** Returns the highest number of a call that has arrived from this peer; 0 before the first. */
  public long lastCallId() {
    return lastCallId;
  }

  @Override
  public Set<FrameKind> kinds() {
    return Set.of(FrameKind.REQUEST, FrameKind.ONEWAY, FrameKind.CANCEL);
  }

  /** Dispatches a request, or cancels one. */
  @Override
  public @Nullable String take(Message message) {
    long callId = message.callId();
    FrameKind kind = message.kind();
    if (kind == FrameKind.CANCEL) {
      ServerCall cancelled = byId.get(callId);
      if (cancelled != null) {
        cancelled.cancel();
      }
      return null;
    }
    if (!message.isWhole()) {
      return incomplete(message);
    }
    String wrong = oneMore(callId, byId.size(), byId.containsKey(callId));
    if (wrong != null) {
      return wrong;
    }
    ServerCall call = null; // until it is registered; afterwards it is answered by its own methods
    try {
      lastCallId = Math.max(lastCallId, callId);
      LocalServices.Method method = services.method(message.method());
      if (isRefused(message, kind, method) || method == null) {
        return null;
      }
      MethodDescriptor<?> descriptor = method.descriptor;
      int end = message.contentEnd();
      ServerCall arrived = newCall(method, message);
      if (message.takesMore(LongMessages.LONGEST_SHORT, end)) {
        if (!OwnService.asksForItems(descriptor)) {
          readBeside(method, arrived, message, end);
          return null;
        } else if (message.has(FrameHeader.FLAG_COMPRESSED)) {
          refuse(message, RpcStatus.INVALID_ARGUMENT, "a request for items must not be compressed");
          return null;
        }
      }
      WireDecoder in = calls.decoder;
      in.start(message.buffer(), message.from(), end, calls.maxDepth);
      Runnable memory = message.takeMemory();
      if (memory != null) {
        arrived.hold(memory, false);
      }
      if (method.nonBlocking) {
        running = arrived;
      } else {
        byId.put(callId, arrived);
        if (place != null) {
          arrived.setPlace(takePlace());
        }
      }
      call = arrived;
      if (method.streaming) {
        call.dispatch(method.dispatcher, in);
      } else { // handled directly, because each stack frame before the handler costs time
        method.dispatcher.dispatch(descriptor, in, call);
      }
    } catch (Throwable e) {
      if (place != null) {
        leave(takePlace());
      }
      if (call == null && !(e instanceof OutOfMemoryError)) {
        throw e;
      }
      undispatched(message, call, e);
    }
    return null;
  }

  private @Nullable String incomplete(Message message) {
    String dropped = message.dropped();
    if (dropped == null) {
      return awaitValues(message);
    }
    RpcStatus status = Calls.refusal(session.memory().share(Memory.ASSEMBLY), message.length());
    refuse(message, status, "its arguments: " + dropped);
    return null;
  }

  private @Nullable String oneMore(long callId, int present, boolean isThere) {
    if (present >= calls.maxCalls) {
      return "more than " + calls.maxCalls + " calls at once";
    }
    return isThere ? "call " + callId + " twice" : null;
  }

  private @Nullable String awaitValues(Message message) {
    long callId = message.callId();
    LargeValueTable table = awaitingValues.table(message);
    String wrong = oneMore(callId, awaitingValues.size(), awaitingValues.has(callId));
    if (wrong == null) {
      lastCallId = Math.max(lastCallId, callId);
      long timeLeft = Math.max(1, FrameHeader.nanosLeft(message.timeLeft()));
      awaitingValues.hold(message, table, null, Duration.ofNanos(timeLeft));
    }
    return wrong;
  }

  private void peerLostBefore(Message request) {
    if (request.kind() == FrameKind.ONEWAY) {
      oneways.drop("its large values had not arrived when its peer was lost");
    }
  }

  private boolean isRefused(
      Message message, FrameKind kind, LocalServices.@Nullable Method method) {
    if (method == null || method.oneway != (kind == FrameKind.ONEWAY)) {
      refuse(message, RpcStatus.UNIMPLEMENTED, unimplemented(method));
    } else if (session.isDraining()
        && kind != FrameKind.ONEWAY
        && !OwnService.asksForItems(method.descriptor)) {
      // Nobody would make a one-way call again.
      refuse(message, RpcStatus.UNAVAILABLE, session.ending().drainReason());
    } else if (message.timeLeft() == 0) {
      refuse(message, RpcStatus.DEADLINE_EXCEEDED, "the deadline had passed on arrival");
    } else {
      return chooses && isRefusedByChoice(message, method.descriptor);
    }
    return true;
  }

  private boolean isRefusedByChoice(Message message, MethodDescriptor<?> method) {
    if (!session.mayServe()) {
      refuse(message, RpcStatus.UNAVAILABLE, rdmaRequired());
      return true;
    }
    Admission places = admission;
    if (places == null || !places.limits(method)) {
      return false;
    }
    Priority priority = Priority.of(message.metadata());
    place = places.enter(priority);
    if (place == null) {
      refuse(message, RpcStatus.RESOURCE_EXHAUSTED, places.refusal(priority));
    }
    return place == null;
  }

  private Admission.Place takePlace() {
    Admission.Place taken = Objects.requireNonNull(place);
    place = null;
    return taken;
  }

  /** Releases the place of a call that has not begun. */
  private static void leave(Admission.Place place) {
    place.ignoreDuration();
    place.run();
  }

  /** The dispatch of a call has failed. A fault of a user's type ends this call alone. */
  private void undispatched(Message message, @Nullable ServerCall call, Throwable thrown) {
    boolean outOfHeap = thrown instanceof OutOfMemoryError;
    if (call == null && !byId.containsKey(message.callId())) {
      refuse(message, RpcStatus.RESOURCE_EXHAUSTED, "its arguments: " + Inbox.NO_HEAP);
    } else if (call == null || (outOfHeap && running != call && byId.get(call.id) != call)) {
      throw (OutOfMemoryError) thrown; // it is unknown whether the call was answered
    } else if (!call.isHandled()) {
      refuseUndecoded(call, thrown);
    } else if (outOfHeap) {
      call.refuse(RpcStatus.RESOURCE_EXHAUSTED, Inbox.NO_HEAP);
    }
  }

  private void readBeside(LocalServices.Method method, ServerCall call, Message message, int end) {
    LongMessages longMessages = calls.longMessages;
    LongMessages.Body body = longMessages.keep(message, end);
    if (body == null) {
      if (place != null) {
        leave(takePlace());
      }
      long needed = longMessages.needed(message, end);
      RpcStatus status = Calls.refusal(session.memory().share(Memory.ASSEMBLY), needed);
      refuse(message, status, "its arguments: " + longMessages.refusal(message, end));
      return;
    }
    byId.put(call.id, call);
    call.hold(body.free(), true);
    if (place != null) {
      call.setPlace(takePlace());
    }
    starts.await(call);
    longMessages.read(
        body,
        call::isCancelled,
        in -> call.read(method.dispatcher, in),
        thrown -> argumentsRead(call, thrown));
  }

  private void argumentsRead(ServerCall call, @Nullable Throwable thrown) {
    call.argumentsRead();
    if (thrown == null && call.awaitsLateHandler()) { // it must not hold up others meanwhile
      starts.forget(call);
      starts.startWaiting();
      return;
    }
    if (thrown == null && !call.isCancelled()) {
      starts.argumentsRead(call);
      return;
    }
    starts.forget(call);
    if (call.isCancelled()) {
      call.refuseUnread();
    } else {
      refuseUndecoded(call, Objects.requireNonNull(thrown));
    }
  }

  private String rdmaRequired() {
    return "the peer requires RDMA, and this session is on "
        + session.path()
        + " there; a client that sets REQUIRE_RDMA too waits for it before it calls";
  }

  /** Returns a message for an unknown method. It is rare, because a peer knows the services. */
  private String unimplemented(LocalServices.@Nullable Method method) {
    return method == null
        ? "the peer serves " + contracts.servedNames() + ", but no method with this index"
        : method.descriptor.fullName() + " is one-way at one end only";
  }

  private ServerCall newCall(LocalServices.Method method, Message message) {
    Metadata metadata = message.metadata();
    long deadline = calls.loop.now() + FrameHeader.nanosLeft(message.timeLeft());
    ServerCall call = method.nonBlocking ? reusable.pollLast() : null;
    if (call == null) {
      return new ServerCall(this, calls, method, metadata, message.callId(), deadline);
    }
    call.reuse(method, metadata, message.callId(), deadline);
    return call;
  }

  void awaitDeadline(ServerCall call) {
    deadlines.add(call.deadlineNanos());
  }

  /** Returns whether a call's handler may start now. Otherwise it starts later. */
  boolean mayStart(ServerCall call) {
    boolean now = starts.mayStart(call);
    if (!now) {
      keepRunning(call);
    }
    return now;
  }

  /** The loop continues before the handler of a call has run. */
  void keepRunning(ServerCall call) {
    if (running == call) {
      running = null;
      byId.put(call.id, call);
    }
  }

  void execute(ServerCall call) {
    oneways.execute(call);
  }

  /** Returns whether a started handler may run. On the handler's thread. */
  boolean mayRun(ServerCall call) {
    return starts.mayRun(call);
  }

  /** Takes memory for a reply when there is enough. On the handler's thread. */
  void awaitMemory(ServerCall call, long bytes) {
    starts.awaitMemory(call, bytes);
  }

  /** Postpones a started handler. */
  void putOff(ServerCall call) {
    if (byId.get(call.id) == call) {
      starts.putOff(call);
    } else {
      call.close(); // its session is gone
    }
  }

  @Override
  public boolean takesTurns() {
    return starts.hasWaiting();
  }

  @Override
  public boolean wantsTurn() {
    return starts.hasWaiting();
  }

  /** Handlers may wait for the memory of replies that the peer has received. */
  @Override
  public void beforeFrames() {
    starts.startWaiting();
  }

  /**
   * Two services are another RPC system's: its own, and that of streams, because its calls count as
   * streaming. They run code of users only for calls in flight.
   */
  public void carries() {
    carried = 2;
  }

  @Override
  public boolean runsUsersCode() {
    return services.size() > carried;
  }

  @Override
  public boolean isBusy() {
    return !byId.isEmpty() || oneways.hasOrphans();
  }

  private void refuseUndecoded(ServerCall call, Throwable thrown) {
    RpcStatus status = RpcStatus.INVALID_ARGUMENT;
    String message;
    if (thrown instanceof OutOfMemoryError) {
      status = RpcStatus.RESOURCE_EXHAUSTED;
      message = "its arguments: " + Inbox.NO_HEAP;
    } else if (thrown instanceof WireException e) {
      status = e.contractsDiffer() ? RpcStatus.INCOMPATIBLE : status;
      message = "the peer cannot decode the arguments: " + e.getMessage();
    } else if (thrown instanceof LinkageError) { // a fault of this program, not of the caller
      status = RpcStatus.INTERNAL;
      message =
          "the peer lacks a class of the arguments, as its log tells: " + Thrown.fullWords(thrown);
      UNLOADED.error("A class of the arguments of {} cannot be used", call.method, thrown);
    } else {
      message = "the peer refuses the arguments: " + Thrown.fullWords(thrown);
    }
    call.neverRan();
    call.fail(status, Execution.NOT_EXECUTED, "", message);
    replied(call);
  }

  /** Answers a call that was not dispatched. A one-way call is only recorded as over. */
  private void refuse(Message message, RpcStatus status, String why) {
    if (message.kind() == FrameKind.ONEWAY) {
      oneways.refused(why);
      return;
    }
    session.enqueue(
        ControlFrame.message(
            FrameKind.FAILURE,
            message.callId(),
            out -> {
              out.writeByte(status.code());
              out.writeByte(Execution.NOT_EXECUTED.code());
              out.writeString("");
              out.writeString(why);
            }));
  }

  /** A handler has ended and its reply is encoded. */
  void replied(ServerCall call) {
    call.close();
    starts.ended(call);
    boolean awaited = takeOut(call);
    if (call.served.oneway) {
      call.discard();
      oneways.over(call, awaited);
      reusable(call);
    } else if (awaited) {
      call.requireAnswer();
      ReplyMessage.Answer answer = call.takeAnswer();
      if (answer != null) {
        calls.objects.answer(call.id, call.method.fullName(), answer.source(), answer::released);
      }
      session.enqueue(call);
    } else {
      call.discard(); // its session is gone
    }
    starts.startWaiting();
  }

  /** Removes a call. Returns whether it was still registered. */
  private boolean takeOut(ServerCall call) {
    if (running == call) {
      running = null;
      return true;
    }
    return byId.get(call.id) == call && byId.remove(call.id) != null;
  }

  void reusable(ServerCall call) {
    if (call.served.nonBlocking && reusable.size() < MOST_REUSABLE) {
      reusable.addLast(call);
    }
  }

  /** The peer is gone. Its calls are cancelled, except one-way calls, which continue. */
  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    List<ServerCall> left = new ArrayList<>(byId.values());
    if (running != null) {
      left.add(running);
    }
    running = null;
    lastCallId = 0;
    byId.clear();
    deadlines.stop();
    oneways.forgetPlaces();
    for (ServerCall call : left) {
      if (call.served.oneway) {
        oneways.orphaned(call);
      } else {
        call.orphaned();
      }
    }
    starts.peerLost();
  }
}
