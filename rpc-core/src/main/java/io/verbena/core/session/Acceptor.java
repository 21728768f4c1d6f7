package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.stat.SessionStat;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkListener;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A server's sessions on one loop: opens them, and finds them again when a client resumes. On that
 * loop, but for what says otherwise.
 */
public final class Acceptor implements LinkDriver.AcceptHandler {
  private static final ThrottledLog LISTENER_FAILED =
      ThrottledLog.of(Acceptor.class, "listeners for sessions that failed");

  private final SessionContext context;
  private final Acceptors server;
  private final int number;
  private final Long2ObjectHashMap<AcceptedSession> sessions = new Long2ObjectHashMap<>();

  /** Sessions that have ended, and have one-way calls that go on. */
  private final List<SessionImpl> leaving = new ArrayList<>();

  /** Sessions, and handshakes that may become some. */
  private final AtomicInteger load = new AtomicInteger();

  /**
   * A loop's part of a server.
   *
   * @param number the loop's, from 0
   */
  Acceptor(SessionContext context, Acceptors server, int number) {
    this.context = context;
    this.server = server;
    this.number = number;
  }

  /** Returns the loop that these sessions are on. Safe for any thread. */
  public EventLoop loop() {
    return context.loop();
  }

  /** Returns every session's figures. */
  public List<SessionStat> stats() {
    return sessions.values().stream().map(one -> one.core().stat()).toList();
  }

  /**
   * Takes no new calls from now on. Sessions that lose their link may still resume: there may be a
   * result for them.
   */
  public void drain(String reason) {
    sessions.values().forEach(one -> one.core().ending().drain(reason));
  }

  /** Returns whether nothing runs that was called, and every result has arrived. */
  public boolean isDrained() {
    forgetDone();
    return leaving.isEmpty() && sessions.values().stream().allMatch(one -> one.core().ending().isDrained());
  }

  /** Ends every session. */
  public void endAll() {
    Collection<AcceptedSession> ending = new ArrayList<>(sessions.values());
    ending.forEach(one -> one.core().closeNow());
    leaving.forEach(SessionImpl::endWhatGoesOn);
  }

  @Override
  public LinkListener onAccepted(Link accepted) {
    return new ServerHandshake(accepted, this).begin();
  }

  // ---- from handshakes ----

  SessionContext context() {
    return context;
  }

  Acceptors server() {
    return server;
  }

  /** Returns how many sessions are here, or may soon be. Safe for any thread. */
  int load() {
    return load.get();
  }

  /** A handshake begins that is for a session here. Safe for any thread. */
  void greets() {
    load.incrementAndGet();
  }

  /** That handshake is over; a session that it opened counts for itself. Safe for any thread. */
  void greeted() {
    load.decrementAndGet();
  }

  /** Returns the session that the client may resume, or null. */
  @Nullable AcceptedSession find(SessionKey key) {
    AcceptedSession found = sessions.get(key.id());
    return found != null && found.key().equals(key) ? found : null;
  }

  /** Opens a new session. */
  AcceptedSession open() {
    long id;
    do {
      id = server.newId();
    } while (id == 0 || server.loopOf(id) != number || sessions.containsKey(id));
    SessionKey key = new SessionKey(id, server.random().nextLong(), server.random().nextLong());
    AcceptedSession session = new AcceptedSession(context, this, key);
    sessions.put(id, session);
    load.incrementAndGet();
    return session;
  }

  /** Answers a client that has kept a better link and only wants another first one. */
  void welcomeBeside(ServerHandshake handshake, AcceptedSession session, int kept, Peer peer) {
    SessionImpl core = session.core();
    if (core.links().settledEpoch() != kept) {
      String why = "link " + kept + " does not carry the session here any more";
      handshake.refuse(new Refusal(RpcStatus.UNAVAILABLE, false, true, why));
    } else if (handshake.welcome(welcome(session))) {
      core.attachFirst(handshake.link, handshake.epoch(), peer);
      session.attached();
    }
  }

  /**
   * Answers a client's greeting and goes on with the session over its link. What the session still
   * has of older links is closed and drained first: only then is it final what was received.
   */
  void welcome(ServerHandshake handshake, AcceptedSession session, Hello hello, Peer peer) {
    session
        .core()
        .closeLinks(
            "the peer resumes its session over a new link",
            () -> attach(handshake, session, hello, peer));
  }

  private void attach(ServerHandshake handshake, AcceptedSession session, Hello hello, Peer peer) {
    SessionImpl core = session.core();
    if (core.isEnded()) {
      handshake.fail("the session has ended meanwhile");
      return;
    }
    boolean isNew = hello.key().id() == 0;
    String noRoom = isNew ? core.reserve(hello.services()) : null;
    if (noRoom != null) {
      handshake.refuse(new Refusal(RpcStatus.UNAVAILABLE, false, false, noRoom));
      core.end(RpcStatus.UNAVAILABLE, noRoom);
      return;
    }
    if (handshake.isOver() || !handshake.welcome(welcome(session))) {
      session.linkLost("the link it was to go on over is gone");
      return;
    }
    int epoch = handshake.epoch();
    if (!core.attach(handshake.link, epoch, hello.received(), hello.limits(), peer)) {
      handshake.link.abort("protocol error: the client's account of the session cannot be true");
      core.end(RpcStatus.PROTOCOL_ERROR, "the client's account of the session cannot be true");
      return;
    }
    session.attached();
    if (isNew) {
      core.peerServes(hello.services(), true);
      tell(core);
    }
    if (hello.upgrade() != null) {
      core.upgrade().requested(hello.upgrade());
    }
  }

  @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
  private void tell(SessionImpl opened) {
    try {
      server.onOpened().accept(opened);
    } catch (Throwable e) {
      LISTENER_FAILED.error("The listener for new sessions failed for {}", opened, e);
    }
  }

  private Welcome welcome(AcceptedSession session) {
    return new Welcome(
        FrameHeader.VERSION,
        server.tellsContracts() ? 0 : Welcome.KEEPS_CONTRACTS,
        session.key(),
        session.core().received(),
        context.takes(context.link()),
        session.core().greeting());
  }

  void ended(AcceptedSession session) {
    if (sessions.remove(session.key().id()) != null) {
      load.decrementAndGet();
      server.ended();
    }
    forgetDone();
    if (session.core().goesOn()) {
      leaving.add(session.core());
    }
  }

  private void forgetDone() {
    leaving.removeIf(core -> !core.goesOn());
  }
}
