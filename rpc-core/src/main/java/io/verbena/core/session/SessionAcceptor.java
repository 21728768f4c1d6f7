package io.verbena.core.session;

import io.verbena.api.RpcStatus;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.stat.SessionStat;
import io.verbena.link.runtime.NanoClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a server on one loop. It makes them, and finds them again when a client resumes.
 * Only that loop calls its methods, unless they say otherwise.
 */
public final class SessionAcceptor {
  /** The number of reasons that are kept, because clients that were given up soon return. */
  private static final int MOST_GIVEN_UP = 256;

  public final SessionContext context;
  private final BiFunction<SessionContext, SessionRole, SessionImpl> maker;
  private final Runnable whenOneEnds;
  final Long2ObjectHashMap<AcceptedSession> sessions = new Long2ObjectHashMap<>();

  /**
   * The reasons for which this end gave up the last of its peers. None of them was away for too
   * long.
   */
  final SequencedMap<SessionKey, String> givenUp = new LinkedHashMap<>();

  /** Sessions that have ended, but whose one-way calls still run. */
  private final List<SessionImpl> leaving = new ArrayList<>();

  /** The number of sessions, and of handshakes that may become sessions. */
  final AtomicInteger load = new AtomicInteger();

  SessionAcceptor(
      SessionContext context,
      BiFunction<SessionContext, SessionRole, SessionImpl> maker,
      Runnable whenOneEnds) {
    this.context = context;
    this.maker = maker;
    this.whenOneEnds = whenOneEnds;
  }

  public List<SessionStat> stats() {
    return sessions.values().stream().map(one -> one.core.stat()).toList();
  }

  /**
   * Accepts no new calls from now on. A session that loses its link may still resume, because a
   * result may wait for its client.
   */
  public void drain(String reason) {
    sessions.values().forEach(one -> one.core.ending().drain(reason));
  }

  /** Returns whether every call has ended and every result has arrived. */
  public boolean isDrained() {
    forgetDone();
    return leaving.isEmpty()
        && sessions.values().stream().allMatch(one -> one.core.ending().isDrained());
  }

  public void endAll() {
    Collection<AcceptedSession> ending = new ArrayList<>(sessions.values());
    ending.forEach(one -> one.core.closeNow());
    leaving.forEach(SessionImpl::endWhatGoesOn);
  }

  // ---- from handshakes, and for sessions within ----

  /** Returns the session that the client may resume, or null. */
  @Nullable AcceptedSession find(SessionKey key) {
    AcceptedSession found = sessions.get(key.id());
    return found != null && found.key.equals(key) ? found : null;
  }

  AcceptedSession open(SessionKey key) {
    AcceptedSession session = new AcceptedSession(key);
    sessions.put(key.id(), session);
    load.incrementAndGet();
    return session;
  }

  private void giveUp(SessionKey key, String reason) {
    if (givenUp.size() == MOST_GIVEN_UP) {
      givenUp.pollFirstEntry();
    }
    givenUp.put(key, SessionImpl.brief(reason));
  }

  private void ended(AcceptedSession session) {
    if (sessions.remove(session.key.id()) != null) {
      load.decrementAndGet();
      whenOneEnds.run();
    }
    forgetDone();
    if (session.core.goesOn()) {
      leaving.add(session.core);
    }
  }

  private void forgetDone() {
    leaving.removeIf(core -> !core.goesOn());
  }

  /** A session on the server's side. It cannot connect. Without a link it waits for the client. */
  final class AcceptedSession implements SessionRole {
    final SessionKey key;
    final SessionImpl core;
    private long timer = Timers.NONE;

    /** The last handshake that resumes the session, or has done so. */
    private @Nullable SessionHandshake resuming;

    AcceptedSession(SessionKey key) {
      this.key = key;
      this.core = maker.apply(context, this);
    }

    /** A handshake waits for the session's links to close. One that waits already has lost. */
    void resumes(SessionHandshake next) {
      SessionHandshake before = resuming;
      resuming = next;
      if (before != null) {
        before.fail("the client resumes its session over a newer link");
      }
    }

    void attached() {
      resuming = null;
      context.loop().timers().cancel(timer);
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
    public void linkWanted() {
      // Either the client resumes, or the resume window ends and the session with its calls.
    }

    @Override
    public void linkLost(String reason) {
      if (timer != Timers.NONE) {
        return; // a failed attempt to resume does not extend the window
      }
      EventLoop loop = context.loop();
      long until = loop.now() + NanoClock.nanos(context.limits().resumeWindow());
      String why = "the client is gone: " + reason;
      timer = loop.timers().schedule(until, now -> core.end(RpcStatus.UNAVAILABLE, why));
    }

    @Override
    public void peerLost(String reason) {
      giveUp(key, reason);
      core.end(RpcStatus.UNAVAILABLE, reason);
    }

    @Override
    public void peerLeft(String reason) {
      core.end(RpcStatus.UNAVAILABLE, reason);
    }

    @Override
    public void ended() {
      attached();
      SessionAcceptor.this.ended(this);
    }
  }
}
