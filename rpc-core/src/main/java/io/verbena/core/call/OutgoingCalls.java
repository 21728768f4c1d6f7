package io.verbena.core.call;

import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.codec.MetadataBlock;
import io.verbena.codec.WireDecoder;
import io.verbena.core.call.CallCounters.What;
import io.verbena.core.contract.OwnService;
import io.verbena.core.contract.RemoteServices;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.DeadlineWatch;
import io.verbena.core.sequence.Message;
import io.verbena.core.session.ControlFrame;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.transfer.LargeValueTable;
import io.verbena.link.runtime.ThrottledLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The calls that this end has under way. A call whose caller gave up stays here until the peer has
 * answered it, and keeps its place in the window as long.
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

  final Calls shared;
  private final SessionImpl session;
  private final RemoteServices contracts;

  /**
   * Calls by the last bits of their numbers. Numbers are consecutive and calls end about as they
   * began, so that a ring finds all but those that take far longer than others; a hash map would
   * look through runs of neighbours for each that is removed. It grows with the calls that are
   * under way at a time: most of a server's sessions have none.
   */
  private @Nullable PendingCall<?>[] recent = new PendingCall<?>[FIRST_PLACES];

  /** Calls whose place in the ring a later one needed. */
  private final Long2ObjectHashMap<PendingCall<?>> old = new Long2ObjectHashMap<>();

  /** How many calls are under way, without one-way calls that have left. */
  private int size;

  private final MessagesAwaitingValues awaitingValues;
  private final DeadlineWatch deadlines;
  private long lastId;
  private int onewaysUnderWay;

  /** The number of the last frame with a one-way call. */
  private long lastOneway;

  /** None yet. */
  public OutgoingCalls(Calls shared, RemoteServices contracts) {
    this.session = shared.session;
    this.shared = shared;
    this.contracts = contracts;
    this.awaitingValues =
        new MessagesAwaitingValues(shared, false, this::valuesMissing, reply -> {});
    this.deadlines = new DeadlineWatch(shared.loop, this::all);
  }

  /** Returns the replies that wait for the values beside them. */
  public Participant awaitingValues() {
    return awaitingValues;
  }

  /** Returns how many calls are under way, without one-way calls that have left. */
  public int size() {
    return size;
  }

  /**
   * Returns how many places of the window are taken: one-way calls have theirs till they are done.
   */
  public int underWay() {
    return size + onewaysUnderWay;
  }

  /** Starts a call that its caller has encoded. */
  void start(PendingCall<?> call) {
    if (session.isEnded() || session.isClosing()) {
      notStarted(call, "the session is closed: " + session.path().reason());
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
    shared.window.release();
  }

  /** A call that waited for its landing to be free of a peer that is gone may leave. */
  void mayLeave() {
    contracts.sendEarly();
  }

  /** Returns why there is no link to send calls over, in words; null if there is one. */
  @Nullable String obstacle() {
    return session.isAttached() ? null : session.role().obstacle();
  }

  /** A call's caller gave up: by its deadline, or by cancelling. */
  void abandoned(PendingCall<?> call) {
    if (get(call.id) != call) {
      return; // answered meanwhile
    }
    if (call.wasHandedOver()) {
      call.close(); // its place alone is left of it: no deadline cancels it a second time
      shared.objects.abandoned(call.id);
      session.enqueue(ControlFrame.message(FrameKind.CANCEL, call.id, out -> {}));
    } else {
      forget(call);
    }
  }

  private void forget(PendingCall<?> call) {
    remove(call);
    call.close();
    if (call.hasLargeArguments()) {
      shared.objects.abandoned(call.id); // if the peer did not wait for them
    }
    shared.window.release();
    if (session.peerDrains() && call.method().streaming()) {
      shared.streamEnded(); // if it was answered with none
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
    shared.window.release(done);
    if (refused > 0) {
      shared.counters.add(What.REFUSED_BY_PEER, refused);
      REFUSED.warn(
          "{} one-way calls were dropped by the peer of {}: {}",
          refused,
          session.name(),
          SessionImpl.brief(in.readString()));
    }
    return null;
  }

  @Override
  public List<FrameKind> kinds() {
    return List.of(
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
    ByteBuffer buffer = message.buffer();
    int from = message.from();
    int to = message.to();
    int end = to;
    Metadata metadata = Metadata.EMPTY;
    if (message.has(FrameHeader.FLAG_METADATA)) {
      end = MetadataBlock.start(buffer, from, to);
      metadata = MetadataBlock.read(buffer, end, to);
    }
    if (message.takesMore(LongMessages.LONGEST_SHORT, end)) {
      LongMessages.Body body = shared.longMessages.keep(message, end);
      if (body == null) {
        String why = shared.longMessages.refusal(message, end);
        replyIncomplete(callId, RpcStatus.RESOURCE_EXHAUSTED, why);
      } else {
        readBeside(call, kind, metadata, body);
      }
      return null;
    }
    forget(call);
    WireDecoder in = shared.decoder;
    in.start(buffer, from, end, shared.maxDepth);
    Object read = call.read(kind, metadata, in);
    message.release(); // first: whoever takes the result may want memory at once
    call.reply(metadata, read);
    return null;
  }

  private static String notMade(long callId) {
    return "a reply to call " + callId + ", which was not made";
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
      String why = "its call was given up";
      shared.objects.refuseParts(callId, false, RpcStatus.CANCELLED, why);
      replyIncomplete(callId, RpcStatus.CANCELLED, why);
    } else {
      awaitingValues.hold(message, table, call.resultsIn(), null);
    }
    return null;
  }

  private void valuesMissing(Message reply, RpcStatus status, String why) {
    // What has no room here is no fault of this end's own arguments.
    RpcStatus here = status == RpcStatus.INVALID_ARGUMENT ? RpcStatus.RESOURCE_EXHAUSTED : status;
    replyIncomplete(reply.callId(), here, why);
  }

  /** A call whose reply is read keeps its place and its deadline as long. */
  private void readBeside(
      PendingCall<?> call, FrameKind kind, Metadata metadata, LongMessages.Body body) {
    call.answered();
    @Nullable Object[] read = new Object[1];
    shared.longMessages.read(
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
    shared.peerTakes(limits);
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
        .filter(call -> !call.wasHandedOver()) // or its reply is read
        .forEach(PendingCall::waitsForNextPeer);
  }

  /** Returns whether there are one-way calls of which the peer has not said that it has them. */
  @Override
  public boolean hasToArrive() {
    boolean leaving =
        !session.peerDrains() && all().stream().anyMatch(call -> call.method().oneway());
    return leaving || !peerHasOneways();
  }

  /** Returns whether the peer has said that it has all one-way calls that have left. */
  private boolean peerHasOneways() {
    return onewaysUnderWay == 0 || lastOneway <= session.outbox().acknowledged();
  }

  /** The session is about to end: calls that have an answer do not wait for it any more. */
  @Override
  public void closes(RpcStatus status, String reason) {
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
      shared.window.release(forgotten);
      shared.counters.add(What.UNKNOWN, forgotten);
      UNKNOWN.warn(
          "{} one-way calls had left by {}, and may have been executed or not: {}",
          forgotten,
          session.name(),
          reason);
    }
  }

  /** A one-way call will not leave, and nobody waits to hear that. */
  void onewayUnsent(RpcException failure) {
    shared.counters.add(What.UNSENT, 1);
    UNSENT.warn("A one-way call by {} was dropped: {}", session.name(), failure.getMessage());
  }

  /** What waits for a link fails. */
  @Override
  public void noLink(RpcStatus status, String reason) {
    fail(call -> !call.wasHandedOver(), status, reason);
    contracts.dropDone();
  }

  @Override
  public void noNextPeer(String reason) {
    noLink(RpcStatus.UNAVAILABLE, reason);
  }

  /** What it takes no more waits for the next; or fails, where there are others. */
  @Override
  public void peerDrains(String reason) {
    if (!session.role().callsWait()) {
      fail(
          call -> !call.wasHandedOver() && !contracts.lets(call),
          RpcStatus.UNAVAILABLE,
          "the peer shuts down: " + reason);
      contracts.dropDone();
    }
  }

  private void ended(RpcStatus status, String reason) {
    if (status == RpcStatus.CANCELLED && peerHasOneways()) {
      // Closed on this side: what has arrived is executed, and this end hears no more of it.
      shared.window.release(onewaysUnderWay);
      onewaysUnderWay = 0;
    }
    forgetOneways(reason);
    fail(call -> true, status, reason);
    deadlines.stop();
  }

  private void fail(Predicate<PendingCall<?>> which, RpcStatus status, String reason) {
    // Completing a call runs its caller's code, which may start or cancel others: take a copy
    // first.
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

  /** Returns the call of this number; null if it has ended, or never was. */
  private @Nullable PendingCall<?> get(long id) {
    PendingCall<?> call = recent[place(id)];
    return call != null && call.id == id ? call : old.get(id);
  }

  /** Removes a call, if it is here. */
  private void remove(PendingCall<?> call) {
    int place = place(call.id);
    if (recent[place] == call) {
      recent[place] = null;
      size--;
    } else if (old.remove(call.id) != null) {
      size--;
    }
  }

  /** Returns the calls that are here now: a copy. */
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
