package io.verbena.core.call;

import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.codec.WireDecoder;
import io.verbena.core.call.CallCounters.What;
import io.verbena.core.contract.OwnService;
import io.verbena.core.contract.RemoteServices;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.DeadlineWatch;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.ControlFrame;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.LargeValueTable;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * This end's calls in flight. A call whose caller gave up stays here, and keeps its place in the
 * window, until the peer has answered it.
 */
public final class OutgoingCalls implements Participant {
  private static final ThrottledLog REFUSED =
      ThrottledLog.of(OutgoingCalls.class, "one-way calls that peers dropped");
  private static final ThrottledLog UNKNOWN =
      ThrottledLog.of(OutgoingCalls.class, "one-way calls under way to peers that were lost");
  private static final ThrottledLog UNSENT =
      ThrottledLog.of(OutgoingCalls.class, "one-way calls that did not leave");

  private static final int FIRST_PLACES = 16;
  private static final int MOST_PLACES = 1024;

  /** Ended calls that may stay in the queues of unsent calls, beside as many as are in flight. */
  private static final int MOST_ENDED = 64;

  final Calls calls;
  private final SessionImpl session;
  private final RemoteServices contracts;

  /**
   * Calls by the lowest bits of their numbers. Numbers are consecutive and calls end about in the
   * order in which they began. So a ring finds all calls except those that take far longer than
   * others. A hash map would search runs of neighbours at each removal. The ring grows with the
   * calls in flight, because most sessions of a server have none.
   */
  private @Nullable PendingCall<?>[] recent = new PendingCall<?>[FIRST_PLACES];

  /** Calls whose place in the ring was needed by a later one. */
  private final Long2ObjectHashMap<PendingCall<?>> old = new Long2ObjectHashMap<>();

  /** The number of calls in flight, without one-way calls that were sent. */
  private int size;

  /** Those of them that wait for the end of the session and do not count for its loop. */
  private int standing;

  /** Calls that have ended since the queues of unsent calls were last cleared of such calls. */
  private int endedUnsent;

  private final MessagesAwaitingValues awaitingValues;
  private final DeadlineWatch deadlines;
  private long lastId;
  private int onewaysUnderWay;

  /** Receives the reason when the peer has dropped one-way calls. */
  private Consumer<String> whenRefused = why -> {};

  /** The number of the last frame with a one-way call. */
  private long lastOneway;

  public OutgoingCalls(Calls calls, RemoteServices contracts) {
    this.session = calls.session;
    this.calls = calls;
    this.contracts = contracts;
    this.awaitingValues =
        new MessagesAwaitingValues(calls, false, this::valuesMissing, reply -> {});
    this.deadlines = new DeadlineWatch(calls.loop, this::all);
  }

  /** Returns the replies that wait for their large values. */
  public Participant awaitingValues() {
    return awaitingValues;
  }

  public int size() {
    return size;
  }

  /**
   * Returns the number of used places in the window. One-way calls use theirs until they are done.
   */
  public int underWay() {
    return size + onewaysUnderWay;
  }

  /**
   * Sets what receives the reason when the peer has dropped one-way calls of this end. On the loop.
   */
  public void whenRefused(Consumer<String> told) {
    whenRefused = told;
  }

  /** Starts a call that its caller has encoded. */
  void start(PendingCall<?> call) {
    if (session.isEnded() || session.isClosing()) {
      notStarted(call, session.path().reason());
      return;
    }
    if (!contracts.lets(call) && (!session.role().callsWait() || OwnService.has(call.method()))) {
      notStarted(call, "the peer shuts down");
      return;
    }
    call.started(++lastId);
    add(call);
    if (call.isTimed()) {
      deadlines.add(call.deadlineNanos());
    }
    contracts.send(call);
  }

  private void notStarted(PendingCall<?> call, String why) {
    call.fail(RpcStatus.UNAVAILABLE, why);
    call.close();
    calls.window.release();
  }

  /** A call that waited until its landing was free of a lost peer may be sent. */
  void mayLeave() {
    contracts.sendEarly();
  }

  /** A call's caller gave up, by its deadline or by cancelling. */
  void abandoned(PendingCall<?> call) {
    if (get(call.id) != call) {
      return; // answered meanwhile
    }
    if (call.wasHandedOver()) {
      call.close(); // only its place remains, so that no deadline cancels it again
      calls.objects.abandoned(call.id);
      session.enqueue(ControlFrame.message(FrameKind.CANCEL, call.id, out -> {}));
    } else {
      forget(call);
      endedUnsent++;
      if (endedUnsent > size + MOST_ENDED) {
        endedUnsent = 0;
        calls.loop.execute(this::dropDone); // later, because a queue may be under iteration
      }
    }
  }

  /** Removes calls that have ended from the queues of unsent calls, which move only with a link. */
  private void dropDone() {
    contracts.dropDone();
    session.outbox().dropDone();
  }

  private void forget(PendingCall<?> call) {
    remove(call);
    call.close();
    if (call.hasLargeArguments()) {
      calls.objects.abandoned(call.id); // in case the peer did not wait for them
    }
    calls.window.release();
    if (session.peerDrains() && call.method().streaming()) {
      calls.streamEnded(); // in case the answer had none
    }
  }

  @Override
  public boolean wantsLink() {
    return size > 0;
  }

  /** Returns whether there are calls that may be answered with a stream. */
  @Override
  public boolean asksDrainingPeer() {
    return all().stream().anyMatch(call -> call.wasHandedOver() && call.method().streaming());
  }

  void onewaySent(PendingCall<?> call, long sequence) {
    lastOneway = sequence;
    remove(call);
    call.close();
    call.settle(null);
    onewaysUnderWay++;
  }

  private @Nullable String onewaysDone(WireDecoder in) {
    int done = in.readVarInt();
    int refused = in.readVarInt();
    if (done <= 0 || done > onewaysUnderWay || refused < 0 || refused > done) {
      return done + " one-way calls done, " + refused + " refused, of " + onewaysUnderWay;
    }
    onewaysUnderWay -= done;
    calls.window.release(done);
    if (refused > 0) {
      calls.counters.add(What.REFUSED_BY_PEER, refused);
      String why = SessionImpl.brief(in.readString());
      REFUSED.warn(
          "{} one-way calls were dropped by the peer of {}: {}", refused, session.name(), why);
      whenRefused.accept(why);
    }
    return null;
  }

  @Override
  public Set<FrameKind> kinds() {
    return Set.of(
        FrameKind.RESULT, FrameKind.DECLARED_ERROR, FrameKind.FAILURE, FrameKind.ONEWAY_DONE);
  }

  @Override
  public @Nullable String take(Message message) {
    FrameKind kind = message.kind();
    if (kind == FrameKind.ONEWAY_DONE) {
      return onewaysDone(session.decoding(message));
    }
    String dropped = message.dropped();
    if (dropped != null) {
      replyIncomplete(message.callId(), RpcStatus.RESOURCE_EXHAUSTED, dropped);
      return null;
    }
    if (!message.isWhole()) {
      return awaitValues(message);
    }
    long callId = message.callId();
    PendingCall<?> call = get(callId);
    if (call == null || !call.awaitsReply()) {
      return notMade(callId);
    }
    int end = message.contentEnd();
    Metadata metadata = message.metadata();
    if (message.takesMore(LongMessages.LONGEST_SHORT, end)) {
      LongMessages.Body body = calls.longMessages.keep(message, end);
      if (body == null) {
        String why = calls.longMessages.refusal(message, end);
        replyIncomplete(callId, RpcStatus.RESOURCE_EXHAUSTED, why);
      } else {
        readBeside(call, kind, metadata, body);
      }
      return null;
    }
    forget(call);
    WireDecoder in = calls.decoder;
    in.start(message.buffer(), message.from(), end, calls.maxDepth);
    Object read = call.read(kind, metadata, in);
    message.release(); // released first, because the receiver of the result may need memory at once
    if (calls.loop.tellsLater()) {
      calls.loop.tellLater(() -> call.reply(metadata, read));
    } else {
      call.reply(metadata, read);
    }
    return null;
  }

  private static String notMade(long callId) {
    return "a reply to call " + callId + ", which does not exist";
  }

  private @Nullable String awaitValues(Message message) {
    LargeValueTable table = awaitingValues.table(message);
    if (message.kind() == FrameKind.FAILURE) {
      return message.kind() + " with values beside it";
    }
    long callId = message.callId();
    PendingCall<?> call = get(callId);
    if (call == null || !call.awaitsReply() || awaitingValues.has(callId)) {
      return notMade(callId);
    }
    if (call.isGivenUp()) {
      String why = "its call was abandoned";
      calls.objects.refuseLargeValues(callId, false, RpcStatus.CANCELLED, why);
      replyIncomplete(callId, RpcStatus.CANCELLED, why);
    } else {
      awaitingValues.hold(message, table, call.resultsIn(), null);
    }
    return null;
  }

  private void valuesMissing(Message reply, RpcStatus status, String why) {
    // A lack of room here is no fault of this end's arguments.
    RpcStatus here = status == RpcStatus.INVALID_ARGUMENT ? RpcStatus.RESOURCE_EXHAUSTED : status;
    replyIncomplete(reply.callId(), here, why);
  }

  /** Reads a reply beside the loop. The call keeps its place and its deadline meanwhile. */
  private void readBeside(
      PendingCall<?> call, FrameKind kind, Metadata metadata, LongMessages.Body body) {
    call.answered();
    @Nullable Object[] read = new Object[1];
    calls.longMessages.read(
        body,
        () -> call.isGivenUp() && !call.method().streaming(),
        in -> read[0] = call.read(kind, metadata, in),
        thrown -> {
          body.free().run();
          if (get(call.id) == call) {
            forget(call);
          }
          call.reply(metadata, thrown == null ? read[0] : call.unreadable(thrown));
        });
  }

  private void replyIncomplete(long callId, RpcStatus status, String why) {
    PendingCall<?> call = get(callId);
    if (call != null) {
      forget(call);
      call.replyIncomplete(status, why);
    }
  }

  @Override
  public void peerTakes(PeerLimits limits) {
    calls.window.peerTakes(limits.maxCalls());
  }

  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    if (forGood) {
      ended(status, reason);
      return;
    }
    forgetOneways(reason);
    fail(PendingCall::awaitsReply, status, reason);
    all().stream()
        .filter(call -> !call.wasHandedOver()) // or its reply is being read
        .forEach(PendingCall::awaitNextPeer);
  }

  @Override
  public boolean keepsLoop() {
    return size > standing || hasToArrive();
  }

  /** Calls that wait for the end of the session begin or have ended. On the loop. */
  public void standing(int more) {
    standing += more;
    calls.loop.callsInFlight(-more);
  }

  /** Returns whether the peer has yet to confirm one-way calls. */
  @Override
  public boolean hasToArrive() {
    boolean leaving =
        !session.peerDrains() && all().stream().anyMatch(call -> call.method().oneway());
    return leaving || !peerHasOneways();
  }

  /** Returns whether the peer has confirmed all one-way calls that were sent. */
  private boolean peerHasOneways() {
    return onewaysUnderWay == 0 || lastOneway <= session.outbox().acknowledged();
  }

  /** The session is about to end. Calls no longer wait for their answers. */
  @Override
  public void aboutToEnd(RpcStatus status, String reason) {
    List<PendingCall<?>> others =
        all().stream().filter(call -> !call.method().oneway() && !call.isGivenUp()).toList();
    for (PendingCall<?> call : others) {
      if (get(call.id) == call) {
        call.fail(status, reason);
        abandoned(call);
      }
    }
  }

  private void forgetOneways(String reason) {
    int forgotten = onewaysUnderWay;
    if (forgotten > 0) {
      onewaysUnderWay = 0;
      calls.window.release(forgotten);
      calls.counters.add(What.UNKNOWN, forgotten);
      UNKNOWN.warn(
          "{} one-way calls were sent by {} and may or may not have been executed: {}",
          forgotten,
          session.name(),
          reason);
    }
  }

  /** A one-way call will not be sent, and its sender does not wait for that. */
  void onewayUnsent(RpcException failure) {
    calls.counters.add(What.UNSENT, 1);
    UNSENT.warn("A one-way call by {} was dropped: {}", session.name(), failure.getMessage());
  }

  /** Calls that wait for a link fail. */
  @Override
  public void noLink(RpcStatus status, String reason) {
    fail(call -> !call.wasHandedOver(), status, reason);
    dropDone();
  }

  @Override
  public void noNextPeer(String reason) {
    noLink(RpcStatus.UNAVAILABLE, reason);
  }

  /** Unsent calls wait for the next peer, or fail if the channel has other servers. */
  @Override
  public void peerDrains(String reason) {
    if (!session.role().callsWait()) {
      fail(
          call -> !call.wasHandedOver() && !contracts.lets(call),
          RpcStatus.UNAVAILABLE,
          "the peer shuts down: " + reason);
      dropDone();
    }
  }

  private void ended(RpcStatus status, String reason) {
    if (status == RpcStatus.CANCELLED && peerHasOneways()) {
      // The session was closed on this side. The peer executes calls that have arrived, but this
      // end does not learn of it.
      calls.window.release(onewaysUnderWay);
      onewaysUnderWay = 0;
    }
    forgetOneways(reason);
    fail(call -> true, status, reason);
    deadlines.stop();
  }

  private void fail(Predicate<PendingCall<?>> which, RpcStatus status, String reason) {
    // Completing a call runs its caller's code, which may start or cancel other calls, so a copy is
    // needed.
    List<PendingCall<?>> failing = all().stream().filter(which).toList();
    for (PendingCall<?> call : failing) {
      if (get(call.id) == call) {
        call.fail(status, reason);
        forget(call);
      }
    }
  }

  // ---- calls by their number ----

  private void add(PendingCall<?> call) {
    while (recent[place(call.id)] != null && recent.length < MOST_PLACES) {
      grow();
    }
    int place = place(call.id);
    PendingCall<?> before = recent[place];
    if (before != null) {
      old.put(before.id, before);
    }
    recent[place] = call;
    size++;
    calls.loop.callsInFlight(1);
  }

  private void grow() {
    @Nullable PendingCall<?>[] before = recent;
    recent = new PendingCall<?>[2 * before.length];
    for (PendingCall<?> call : before) {
      if (call != null) {
        recent[place(call.id)] = call;
      }
    }
  }

  private int place(long id) {
    return (int) (id & (recent.length - 1));
  }

  /** Returns the call with this number; null if it has ended or never existed. */
  private @Nullable PendingCall<?> get(long id) {
    PendingCall<?> call = recent[place(id)];
    return call != null && call.id == id ? call : old.get(id);
  }

  /** Removes a call, if it is registered. */
  private void remove(PendingCall<?> call) {
    int place = place(call.id);
    if (recent[place] == call) {
      recent[place] = null;
      size--;
      calls.loop.callsInFlight(-1);
    } else if (old.remove(call.id) != null) {
      size--;
      calls.loop.callsInFlight(-1);
    }
  }

  /** Returns a copy of the present calls. */
  private List<PendingCall<?>> all() {
    List<PendingCall<?>> all = new ArrayList<>(old.values());
    for (PendingCall<?> call : recent) {
      if (call != null) {
        all.add(call);
      }
    }
    return all;
  }
}
