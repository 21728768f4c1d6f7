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
 * The sessions of a server, spread over its loops, with one {@link Acceptor} for each loop. The
 * first loop listens. If the client requests a session of another loop, its link moves there. Safe
 * for use by any thread.
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

  /** The reason why no new session is accepted; null while they are. */
  private volatile @Nullable String drains;

  /**
   * Makes a server without sessions.
   *
   * @param contexts one for each loop
   * @param maker makes sessions with their participants
   * @param maxSessions the largest number of sessions at once, with or without a link
   * @param authenticator null to accept every client
   * @param tellsContracts whether clients may read services for which they have no contract
   * @param random makes session ids and secrets; secure, except in simulations
   * @param onOpened receives every new session, on the session's loop
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

  /** Returns the acceptor on whose loop the server listens. */
  public Acceptor first() {
    return all.getFirst();
  }

  /** Returns the largest number of sessions at once. */
  public int maxSessions() {
    return maxSessions;
  }

  /** Returns whether there is an authenticator. */
  public boolean authenticates() {
    return authenticator != null;
  }

  public List<Acceptor> all() {
    return List.copyOf(all);
  }

  /** Returns the acceptor with the fewest sessions. */
  public Acceptor idlest() {
    return Collections.min(all, Comparator.comparingInt(Acceptor::load));
  }

  /**
   * Accepts no new sessions from now on. Each acceptor {@linkplain Acceptor#drain drains} its own
   * sessions.
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
   * Returns the acceptor of a client's session. A new session goes to the loop with the fewest. The
   * handshake counts there until it is {@linkplain Acceptor#greeted over}.
   */
  Acceptor homeOf(SessionKey key) {
    return stay(key.id() == 0 ? idlest() : loopOf(key.id()));
  }

  /** Counts a handshake for a session that is on this loop or will be. */
  Acceptor stay(Acceptor home) {
    home.greets();
    return home;
  }

  /** Opens a new session on a loop. Its id identifies the server and the loop. */
  Acceptor.AcceptedSession open(Acceptor home) {
    long id;
    do {
      id = mark | (random.nextLong() & ~OF_SERVER);
    } while (id == 0 || loopOf(id) != home || home.has(id));
    return home.open(new SessionKey(id, random.nextLong(), random.nextLong()));
  }

  /** Returns the reason why a session that a client wants to resume is not here. */
  String whyNotHere(SessionKey key, Acceptor home) {
    String reason = home.whyGivenUp(key);
    if (reason == null) {
      reason = "its client was away for longer than resumeWindow, or broke the protocol before";
    }
    return (key.id() & OF_SERVER) == mark
        ? "session " + key + " has ended here: " + reason
        : "this is not the server that opened session "
            + key
            + ": that server was restarted, or a load balancer sends one client's connections to"
            + " several servers";
  }

  private Acceptor loopOf(long id) {
    return all.get((int) Long.remainderUnsigned(id, all.size()));
  }

  /** Counts one more session. Returns the reason if the limit is reached, else null. */
  @Nullable String countNew() {
    if (sessions.incrementAndGet() <= maxSessions) {
      return null;
    }
    sessions.decrementAndGet();
    return "the server has reached its limit of "
        + maxSessions
        + " sessions: raise maxSessions there";
  }
}
