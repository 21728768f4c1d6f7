package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.stat.SessionStat;
import io.verbena.link.runtime.NanoClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A server's sessions on one loop: makes them, and finds them again when a client resumes. On that
 * loop, but for what says otherwise.
 */
public final class Acceptor {
  private final SessionContext context;
  private final BiFunction<SessionContext, SessionRole, SessionImpl> maker;
  private final Runnable whenOneEnds;
  private final Long2ObjectHashMap<AcceptedSession> sessions = new Long2ObjectHashMap<>();

  /** Sessions that have ended, and have one-way calls that go on. */
  private final List<SessionImpl> leaving = new ArrayList<>();

  /** Sessions, and handshakes that may become some. */
  private final AtomicInteger load = new AtomicInteger();

  /**
   * A loop's part of a server.
   *
   * @param maker makes sessions, with all that lies on each
   * @param whenOneEnds runs when a session has ended
   */
  Acceptor(
      SessionContext context,
      BiFunction<SessionContext, SessionRole, SessionImpl> maker,
      Runnable whenOneEnds) {
    this.context = context;
    this.maker = maker;
    this.whenOneEnds = whenOneEnds;
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
    return leaving.isEmpty()
        && sessions.values().stream().allMatch(one -> one.core().ending().isDrained());
  }

  /** Ends every session. */
  public void endAll() {
    Collection<AcceptedSession> ending = new ArrayList<>(sessions.values());
    ending.forEach(one -> one.core().closeNow());
    leaving.forEach(SessionImpl::endWhatGoesOn);
  }

  // ---- from handshakes, and for sessions within ----

  /** Returns what its sessions are made of. Safe for any thread. */
  public SessionContext context() {
    return context;
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

  /** Returns whether there is a session with this id. */
  boolean has(long id) {
    return sessions.containsKey(id);
  }

  /** Makes a new session. */
  AcceptedSession open(SessionKey key) {
    AcceptedSession session = new AcceptedSession(this, key);
    sessions.put(key.id(), session);
    load.incrementAndGet();
    return session;
  }

  private void ended(AcceptedSession session) {
    if (sessions.remove(session.key().id()) != null) {
      load.decrementAndGet();
      whenOneEnds.run();
    }
    forgetDone();
    if (session.core().goesOn()) {
      leaving.add(session.core());
    }
  }

  private void forgetDone() {
    leaving.removeIf(core -> !core.goesOn());
  }

  /**
   * One session on the server's side. It cannot connect; without a link it waits for the client.
   */
  static final class AcceptedSession implements SessionRole {
    private final Acceptor acceptor;
    private final SessionKey key;
    private final SessionImpl core;
    private long timer = Timers.NONE;

    AcceptedSession(Acceptor acceptor, SessionKey key) {
      this.acceptor = acceptor;
      this.key = key;
      this.core = acceptor.maker.apply(acceptor.context, this);
    }

    SessionKey key() {
      return key;
    }

    SessionImpl core() {
      return core;
    }

    void attached() {
      acceptor.loop().timers().cancel(timer);
      timer = Timers.NONE;
    }

    @Override
    public boolean isClient() {
      return false;
    }

    @Override
    public int nextEpoch() {
      throw new IllegalStateException("the client numbers a session's links");
    }

    @Override
    public void upgraded() {}

    @Override
    public void upgradeFailed(String reason) {}

    @Override
    public void linkWanted() {
      // The client resumes, or the window ends the session and its calls with it.
    }

    @Override
    public void linkLost(String reason) {
      if (timer != Timers.NONE) {
        return; // an attempt to resume that failed buys no more time
      }
      EventLoop loop = acceptor.loop();
      long until = loop.now() + NanoClock.nanos(acceptor.context.limits().resumeWindow());
      String why = "the client is gone: " + reason;
      timer = loop.timers().schedule(until, now -> core.end(RpcStatus.UNAVAILABLE, why));
    }

    @Override
    public void peerLost(String reason) {
      core.end(RpcStatus.UNAVAILABLE, reason);
    }

    @Override
    public void peerLeft(String reason) {
      peerLost(reason);
    }

    @Override
    public void ended() {
      attached();
      acceptor.ended(this);
    }
  }
}
