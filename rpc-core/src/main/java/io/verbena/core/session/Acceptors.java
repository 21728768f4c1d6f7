package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.codec.WireDecoder;
import io.verbena.core.ClientAuthenticator;
import io.verbena.core.ClientAuthenticator.AuthenticationException;
import io.verbena.core.ClientAuthenticator.Credentials;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.core.session.SessionAcceptor.AcceptedSession;
import io.verbena.link.Link;
import io.verbena.link.LinkListener;
import io.verbena.link.TlsOptions;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of a server, spread over its loops, with one {@link SessionAcceptor} for each loop.
 * The first loop listens. If the client requests a session of another loop, its link moves there.
 * Safe for use by any thread.
 */
public final class Acceptors {
  private static final Logger LOG = LoggerFactory.getLogger(Acceptors.class);
  private static final ThrottledLog REFUSED =
      ThrottledLog.of(Acceptors.class, "clients that the authenticator refused");
  private static final ThrottledLog FAILED =
      ThrottledLog.of(Acceptors.class, "authenticators that did not answer");
  private static final ThrottledLog LISTENER_FAILED =
      ThrottledLog.of(Acceptors.class, "listeners for sessions that failed");

  /** The longest time for the client's part of a handshake. */
  private static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(10);

  private static final long OF_SERVER = 0xffff_ffff_0000_0000L;

  private final List<SessionAcceptor> all = new ArrayList<>();
  private final AtomicInteger sessions = new AtomicInteger();

  /** The largest number of sessions at once. */
  public final int maxSessions;

  private final @Nullable ClientAuthenticator authenticator;
  public final boolean tellsContracts;
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
      all.add(new SessionAcceptor(context, maker, sessions::decrementAndGet));
    }
  }

  /** Returns the acceptor on whose loop the server listens. */
  public SessionAcceptor first() {
    return all.getFirst();
  }

  public boolean authenticates() {
    return authenticator != null;
  }

  public List<SessionAcceptor> all() {
    return List.copyOf(all);
  }

  public SessionAcceptor idlest() {
    return Collections.min(all, Comparator.comparingInt(one -> one.load.get()));
  }

  /**
   * Accepts no new sessions from now on. Each acceptor {@linkplain SessionAcceptor#drain drains}
   * its own sessions.
   */
  public void refuseNew(String reason) {
    drains = reason;
  }

  // ---- handshakes ----

  /** Begins a handshake over a link that the first loop has accepted. On that loop. */
  public LinkListener greet(Link accepted) {
    return new ServerHandshake(accepted, first(), false);
  }

  /** Begins a handshake over a local link on the loop of one of the acceptors. On that loop. */
  public LinkListener greetHere(Link accepted, SessionAcceptor acceptor) {
    return new ServerHandshake(accepted, acceptor, true);
  }

  /** Returns the acceptor of a client's session. A new session goes to the loop with the fewest. */
  private SessionAcceptor homeOf(SessionKey key) {
    return key.id() == 0 ? idlest() : loopOf(key.id());
  }

  /** Opens a new session on a loop. Its id identifies the server and the loop. */
  private AcceptedSession open(SessionAcceptor home) {
    long id;
    do {
      id = mark | (random.nextLong() & ~OF_SERVER);
    } while (id == 0 || loopOf(id) != home || home.sessions.containsKey(id));
    return home.open(new SessionKey(id, random.nextLong(), random.nextLong()));
  }

  /** Returns the reason why a session that a client wants to resume is not here. */
  private String whyNotHere(SessionKey key, SessionAcceptor home) {
    String reason = home.givenUp.get(key);
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

  private SessionAcceptor loopOf(long id) {
    return all.get((int) Long.remainderUnsigned(id, all.size()));
  }

  /** Counts one more session. Returns the reason if the limit is reached, else null. */
  private @Nullable String countNew() {
    if (sessions.incrementAndGet() <= maxSessions) {
      return null;
    }
    sessions.decrementAndGet();
    return "the server has reached its limit of "
        + maxSessions
        + " sessions: raise maxSessions there";
  }

  /** The server's side of opening or resuming a session over a new link. */
  private final class ServerHandshake extends SessionHandshake {
    /** The acceptor of the session's loop, as soon as it is known. */
    private SessionAcceptor acceptor;

    /** Whether the link is a local link of this loop, so that its session is here, too. */
    private final boolean isLocal;

    private boolean isCounted;
    private @Nullable Hello hello;
    private @Nullable TimedCallback<String> asked;

    /** The link's number in its session, counted by the client. */
    private int epoch;

    ServerHandshake(Link link, SessionAcceptor acceptor, boolean isLocal) {
      super(link, acceptor.context.loop(), HANDSHAKE_LIMIT);
      this.acceptor = acceptor;
      this.isLocal = isLocal;
      startTimer();
    }

    @Override
    void onWord(FrameKind kind, int epoch, WireDecoder body) {
      if (kind != FrameKind.HELLO || hello != null) {
        fail("protocol error while opening: the client sent " + kind);
        return;
      }
      this.epoch = epoch;
      Hello greeting = Hello.read(body);
      hello = greeting;
      if (greeting.minVersion() > FrameHeader.VERSION
          || greeting.maxVersion() < FrameHeader.VERSION) {
        refuse(
            new Refusal(
                RpcStatus.INCOMPATIBLE,
                false,
                false,
                "the client supports protocol versions %d to %d, this server %d: upgrade the older end"
                    .formatted(greeting.minVersion(), greeting.maxVersion(), FrameHeader.VERSION)));
      } else {
        SessionAcceptor home = isLocal ? acceptor : homeOf(greeting.key());
        home.load.incrementAndGet(); // until the handshake is over
        isCounted = true;
        if (home == acceptor) {
          authenticate(greeting);
        } else {
          moveTo(home, greeting);
        }
      }
    }

    /** Continues on the loop of the session. */
    private void moveTo(SessionAcceptor home, Hello greeting) {
      stopTimer();
      acceptor = home;
      link.moveTo(
          home.context.loop().driver(),
          () -> {
            goOnWith(home.context.loop());
            authenticate(greeting);
          });
    }

    private void authenticate(Hello greeting) {
      ClientAuthenticator judge = authenticator;
      List<X509Certificate> certificates = link.peerCertificates();
      if (certificates.isEmpty() && provesWho()) {
        turnAway("the client presented no certificate");
        return;
      }
      Credentials shown = new Credentials(greeting.token(), certificates, link.peerAddress());
      if (judge == null) {
        String principal = certificates.isEmpty() ? Peer.ANONYMOUS : shown.principal();
        if (principal == null) {
          turnAway(
              "the client's certificate has no subject, and names neither a URI nor a DNS name");
        } else {
          open(greeting, principal);
        }
        return;
      }
      SessionContext context = acceptor.context;
      stopTimer(); // the authenticator has its own time limit
      asked =
          TimedCallback.ask(
              loop,
              context.workers().deciders(),
              deciding(),
              () -> named(judge.authenticate(shown)),
              identity -> open(greeting, identity),
              this::turnAway);
    }

    /**
     * Returns the time limit of the authenticator. It is shorter than the connect timeout, so that
     * a client with the same settings, which began to wait earlier, still receives the refusal.
     */
    private Duration deciding() {
      return acceptor.context.link().connectTimeout().dividedBy(5).multipliedBy(4);
    }

    /** Returns whether every client must present a certificate. */
    private boolean provesWho() {
      TlsOptions tls = acceptor.context.link().tls();
      return tls != null && tls.requireClientCertificate();
    }

    private static @Nullable String named(@Nullable String identity) {
      return identity == null || identity.isBlank() ? null : identity;
    }

    private void turnAway(String why) {
      refuse(new Refusal(RpcStatus.UNAUTHENTICATED, false, false, why));
    }

    private void turnAway(TimedCallback.Silence silence) {
      String from = link.peerAddress();
      if (silence.thrown() instanceof AuthenticationException e) {
        String why = Thrown.reason(e);
        REFUSED.info("Client at {} refused: {}", from, why);
        turnAway(why);
        return;
      }
      if (silence.isNull()) {
        REFUSED.info("Client at {} refused: {}", from, "the authenticator returned no identity");
        turnAway("the server did not accept the credentials of this client");
        return;
      }
      if (silence.thrown() == null) {
        FAILED.warn("The authenticator {}; the client at {} is refused", silence.words(), from);
      } else {
        FAILED.error(
            "The authenticator failed; the client at {} is refused", from, silence.thrown());
      }
      refuse(
          new Refusal(
              RpcStatus.UNAVAILABLE,
              false,
              false,
              "the server could not check the credentials; its log says why"));
    }

    private void open(Hello greeting, String identity) {
      if (isOver()) {
        return; // the client did not wait
      }
      boolean isNew = greeting.key().id() == 0;
      String refusal = isNew ? refusal() : null;
      if (refusal != null) {
        refuse(new Refusal(RpcStatus.UNAVAILABLE, false, false, refusal));
        return;
      }
      AcceptedSession session =
          isNew ? Acceptors.this.open(acceptor) : acceptor.find(greeting.key());
      if (session == null) {
        refuse(
            new Refusal(RpcStatus.UNAVAILABLE, true, false, whyNotHere(greeting.key(), acceptor)));
        return;
      }
      if (!isNew && !session.core.peer().identity().equals(identity)) {
        refuse(
            new Refusal(
                RpcStatus.PERMISSION_DENIED, true, false, "the session belongs to another client"));
        return;
      }
      Peer peer = new Peer(identity, link.peerAddress());
      if (isNew || greeting.keptEpoch() == 0) {
        // Older links of the session are closed and drained first. Only then the number of received
        // frames is final.
        session.resumes(this);
        session.core.closeLinks(
            "the peer resumes its session over a new link", () -> attach(session, greeting, peer));
      } else {
        attachBeside(session, greeting.keptEpoch(), peer);
      }
    }

    /**
     * Returns the reason why no new session is accepted. Otherwise counts a new session and returns
     * null.
     */
    private @Nullable String refusal() {
      String why = drains;
      return why == null ? countNew() : why;
    }

    @Override
    void over() {
      if (isCounted) {
        acceptor.load.decrementAndGet();
      }
    }

    private void attach(AcceptedSession session, Hello greeting, Peer peer) {
      SessionImpl core = session.core;
      if (core.isEnded()) {
        fail("the session has ended during the handshake");
        return;
      }
      boolean isNew = greeting.key().id() == 0;
      String noRoom = isNew ? core.reserve(greeting.services()) : null;
      if (noRoom != null) {
        refuse(new Refusal(RpcStatus.UNAVAILABLE, false, false, noRoom));
        core.end(RpcStatus.UNAVAILABLE, noRoom);
        return;
      }
      if (isOver() || !welcome(session)) {
        session.linkLost("the link for resuming is lost");
        return;
      }
      if (!core.attach(link, epoch, greeting.received(), greeting.limits(), peer)) {
        link.abort("protocol error: the client's frame numbers of the session are impossible");
        core.end(
            RpcStatus.PROTOCOL_ERROR, "the client's frame numbers of the session are impossible");
        return;
      }
      session.attached();
      if (isNew) {
        core.peerServes(greeting.services(), true);
        tell(core);
      }
      if (greeting.upgrade() != null) {
        core.upgrade.requested(greeting.upgrade());
      }
    }

    /** The client has kept its better link and only needs another first link. */
    private void attachBeside(AcceptedSession session, int kept, Peer peer) {
      SessionImpl core = session.core;
      if (core.links.settledEpoch() != kept) {
        String why = "link " + kept + " does not carry the session here any more";
        refuse(new Refusal(RpcStatus.UNAVAILABLE, false, true, why));
      } else if (welcome(session)) {
        core.attachFirst(link, epoch, peer);
        session.attached();
      }
    }

    @SuppressWarnings("CatchingUnchecked") // users' code may throw anything
    private void tell(SessionImpl opened) {
      try {
        onOpened.accept(opened);
      } catch (Throwable e) {
        LISTENER_FAILED.error("The listener for new sessions failed for {}", opened, e);
      }
    }

    /** Sends the welcome. Returns whether the link accepted it. */
    private boolean welcome(AcceptedSession session) {
      SessionContext context = acceptor.context;
      Welcome welcome =
          new Welcome(
              FrameHeader.VERSION,
              tellsContracts ? 0 : Welcome.KEEPS_CONTRACTS,
              session.key,
              session.core.received(),
              context.takes(),
              session.core.greeting());
      send(FrameKind.WELCOME, epoch, welcome::write);
      if (isOver()) {
        return false;
      }
      finish();
      return true;
    }

    private void refuse(Refusal refusal) {
      if (!isOver()) {
        send(FrameKind.REFUSED, epoch, refusal::write);
        finish();
        link.close();
      }
    }

    @Override
    String late() {
      return "%s connected, and did not greet within %d ms: it may not be a Verbena client, or it is held up"
          .formatted(link.peerAddress(), HANDSHAKE_LIMIT.toMillis());
    }

    @Override
    void onBroken(String reason) {
      if (asked != null) {
        asked.withdraw();
      }
      LOG.debug("No session with {}: {}", link.peerAddress(), reason);
    }
  }
}
