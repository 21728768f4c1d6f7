package io.verbena.core.session;

import io.verbena.api.Session;
import io.verbena.core.ClientAuthenticator;
import io.verbena.core.frame.SessionKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A server's sessions, spread over its loops: one {@link Acceptor} for each. The first loop
 * listens; a link whose session belongs to another one moves there when its client has said which
 * it wants. Safe for use by any thread.
 */
public final class Acceptors {
  private static final long OF_SERVER = 0xffff_ffff_0000_0000L;

  private final List<Acceptor> all = new ArrayList<>();
  private final AtomicInteger sessions = new AtomicInteger();
  private final int maxSessions;
  private final @Nullable ClientAuthenticator authenticator;
  private final boolean tellsContracts;
  private final RandomGenerator random;
  private final Consumer<Session> onOpened;

  /** The upper half of the id of every session that this server opens. */
  private final long mark;

  /** Why no new session is taken; null while they are. */
  private volatile @Nullable String drains;

  /**
   * A server without sessions.
   *
   * @param contexts one for each loop
   * @param maker makes sessions, with all that lies on each
   * @param maxSessions the sessions there may be at once, with or without a link
   * @param authenticator null: everyone is welcome
   * @param tellsContracts whether clients hear of services of which they show no contract
   * @param random makes session ids and secrets: secure, but in simulations
   * @param onOpened hears of every new session, on the session's loop
   */
  public Acceptors(
      List<SessionContext> contexts,
      BiFunction<SessionContext, SessionRole, SessionImpl> maker,
      int maxSessions,
      @Nullable ClientAuthenticator authenticator,
      boolean tellsContracts,
      RandomGenerator random,
      Consumer<Session> onOpened) {
    this.maxSessions = maxSessions;
    this.authenticator = authenticator;
    this.tellsContracts = tellsContracts;
    this.random = random;
    this.onOpened = onOpened;
    this.mark = random.nextLong() & OF_SERVER;
    for (SessionContext context : contexts) {
      all.add(new Acceptor(context, maker, sessions::decrementAndGet));
    }
  }

  /** Returns the one on whose loop the server listens. */
  public Acceptor first() {
    return all.getFirst();
  }

  /** Returns how many sessions there may be at once. */
  public int maxSessions() {
    return maxSessions;
  }

  /** Returns whether an authenticator says who is welcome, instead of everyone. */
  public boolean authenticates() {
    return authenticator != null;
  }

  /** Returns one for each loop. */
  public List<Acceptor> all() {
    return List.copyOf(all);
  }

  /** Returns the one with the fewest sessions. */
  public Acceptor idlest() {
    return Collections.min(all, Comparator.comparingInt(Acceptor::load));
  }

  /**
   * Takes no new sessions from now on. What there is each {@linkplain Acceptor#drain drains} for
   * itself.
   */
  public void refuseNew(String reason) {
    drains = reason;
  }

  // ---- from acceptors and handshakes ----

  @Nullable String drains() {
    return drains;
  }

  @Nullable ClientAuthenticator authenticator() {
    return authenticator;
  }

  boolean tellsContracts() {
    return tellsContracts;
  }

  Consumer<Session> onOpened() {
    return onOpened;
  }

  /**
   * Returns where a client's session is, or a new one goes: to the loop that has the fewest. The
   * caller is counted there until its handshake is {@linkplain Acceptor#greeted over}.
   */
  Acceptor homeOf(SessionKey key) {
    return stay(key.id() == 0 ? idlest() : loopOf(key.id()));
  }

  /** The same where a client's session is known to be on this loop, or goes there. */
  Acceptor stay(Acceptor home) {
    home.greets();
    return home;
  }

  /** Opens a new session on a loop. Its id tells of which server it is, and on which loop. */
  Acceptor.AcceptedSession open(Acceptor home) {
    long id;
    do {
      id = mark | (random.nextLong() & ~OF_SERVER);
    } while (id == 0 || loopOf(id) != home || home.has(id));
    return home.open(new SessionKey(id, random.nextLong(), random.nextLong()));
  }

  /** Returns why a session that a client wants to resume is not here. */
  String whyNotHere(SessionKey key) {
    return (key.id() & OF_SERVER) == mark
        ? "session " + key + " has ended here: its client was away for longer than resumeWindow"
        : "another server answered than the one that opened session "
            + key
            + ": that one was started anew, or a balancer between gives a client's connections to"
            + " several servers";
  }

  private Acceptor loopOf(long id) {
    return all.get((int) Long.remainderUnsigned(id, all.size()));
  }

  /**
   * Counts one more session, unless there are as many as there may be; returns why not, or null.
   */
  @Nullable String countNew() {
    if (sessions.incrementAndGet() <= maxSessions) {
      return null;
    }
    sessions.decrementAndGet();
    return "the server has all the " + maxSessions + " sessions it takes: raise maxSessions there";
  }
}
