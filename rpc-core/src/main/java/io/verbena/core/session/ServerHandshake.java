package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.codec.WireDecoder;
import io.verbena.core.ClientAuthenticator;
import io.verbena.core.ClientAuthenticator.AuthenticationException;
import io.verbena.core.ClientAuthenticator.Credentials;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.Welcome;
import io.verbena.core.session.Acceptor.AcceptedSession;
import io.verbena.link.Link;
import io.verbena.link.LinkListener;
import io.verbena.link.TlsOptions;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's side of opening or resuming a session over a new link. */
public final class ServerHandshake extends Handshake {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHandshake.class);
  private static final ThrottledLog REFUSED =
      ThrottledLog.of(ServerHandshake.class, "clients that the authenticator refused");
  private static final ThrottledLog FAILED =
      ThrottledLog.of(ServerHandshake.class, "authenticators that did not answer");
  private static final ThrottledLog LISTENER_FAILED =
      ThrottledLog.of(ServerHandshake.class, "listeners for sessions that failed");

  /** The longest time for the client's part. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Acceptors server;

  /** The acceptor of the session's loop, as soon as it is known. */
  private Acceptor acceptor;

  /** Whether the link is a local link of this loop, so that its session is here, too. */
  private final boolean isLocal;

  private boolean isCounted;
  private @Nullable Hello hello;
  private @Nullable TimedCallback<String> asked;

  /** The link's number in its session, counted by the client. */
  private int epoch;

  private ServerHandshake(Link link, Acceptors server, Acceptor acceptor, boolean isLocal) {
    super(link, acceptor.loop(), LIMIT);
    this.server = server;
    this.acceptor = acceptor;
    this.isLocal = isLocal;
  }

  /** Begins a handshake over a link that a server's first loop has accepted. */
  public static LinkListener begin(Link accepted, Acceptors server) {
    return started(new ServerHandshake(accepted, server, server.first(), false));
  }

  /** Begins a handshake over a local link on the loop of one of a server's acceptors. */
  public static LinkListener beginHere(Link accepted, Acceptors server, Acceptor acceptor) {
    return started(new ServerHandshake(accepted, server, acceptor, true));
  }

  private static ServerHandshake started(ServerHandshake handshake) {
    handshake.startTimer();
    return handshake;
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
      Acceptor home = isLocal ? server.stay(acceptor) : server.homeOf(greeting.key());
      isCounted = true;
      if (home == acceptor) {
        authenticate(greeting);
      } else {
        moveTo(home, greeting);
      }
    }
  }

  /** Continues on the loop of the session. */
  private void moveTo(Acceptor home, Hello greeting) {
    stopTimer();
    acceptor = home;
    link.moveTo(
        home.loop().driver(),
        () -> {
          goOnWith(home.loop());
          authenticate(greeting);
        });
  }

  private void authenticate(Hello greeting) {
    ClientAuthenticator judge = server.authenticator();
    List<X509Certificate> certificates = link.peerCertificates();
    if (certificates.isEmpty() && provesWho()) {
      turnAway("the client presented no certificate");
      return;
    }
    Credentials shown = new Credentials(greeting.token(), certificates, link.peerAddress());
    if (judge == null) {
      String principal = certificates.isEmpty() ? Peer.ANONYMOUS : shown.principal();
      if (principal == null) {
        turnAway("the client's certificate has no subject, and names neither a URI nor a DNS name");
      } else {
        open(greeting, principal);
      }
      return;
    }
    SessionContext context = acceptor.context();
    stopTimer(); // the authenticator has its own time limit
    asked =
        TimedCallback.ask(
            loop(),
            context.workers().deciders(),
            deciding(),
            () -> named(judge.authenticate(shown)),
            identity -> open(greeting, identity),
            this::turnAway);
  }

  /**
   * Returns the time limit of the authenticator. It is shorter than the connect timeout, so that a
   * client with the same settings, which began to wait earlier, still receives the refusal.
   */
  private Duration deciding() {
    return acceptor.context().link().connectTimeout().dividedBy(5).multipliedBy(4);
  }

  /** Returns whether every client must present a certificate. */
  private boolean provesWho() {
    TlsOptions tls = acceptor.context().link().tls();
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
      FAILED.error("The authenticator failed; the client at {} is refused", from, silence.thrown());
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
    AcceptedSession session = isNew ? server.open(acceptor) : acceptor.find(greeting.key());
    if (session == null) {
      refuse(
          new Refusal(
              RpcStatus.UNAVAILABLE, true, false, server.whyNotHere(greeting.key(), acceptor)));
      return;
    }
    if (!isNew && !session.core().peer().identity().equals(identity)) {
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
      session
          .core()
          .closeLinks(
              "the peer resumes its session over a new link",
              () -> attach(session, greeting, peer));
    } else {
      attachBeside(session, greeting.keptEpoch(), peer);
    }
  }

  /**
   * Returns the reason why no new session is accepted. Otherwise counts a new session and returns
   * null.
   */
  private @Nullable String refusal() {
    String drains = server.drains();
    return drains == null ? server.countNew() : drains;
  }

  @Override
  void over() {
    if (isCounted) {
      acceptor.greeted();
    }
  }

  /** Attaches this link to the session. */
  private void attach(AcceptedSession session, Hello greeting, Peer peer) {
    SessionImpl core = session.core();
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
      core.upgrade().requested(greeting.upgrade());
    }
  }

  /** The client has kept its better link and only needs another first link. */
  private void attachBeside(AcceptedSession session, int kept, Peer peer) {
    SessionImpl core = session.core();
    if (core.links().settledEpoch() != kept) {
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
      server.onOpened().accept(opened);
    } catch (Throwable e) {
      LISTENER_FAILED.error("The listener for new sessions failed for {}", opened, e);
    }
  }

  /** Sends the welcome. Returns whether the link accepted it. */
  private boolean welcome(AcceptedSession session) {
    SessionContext context = acceptor.context();
    Welcome welcome =
        new Welcome(
            FrameHeader.VERSION,
            server.tellsContracts() ? 0 : Welcome.KEEPS_CONTRACTS,
            session.key(),
            session.core().received(),
            context.takes(context.link()),
            session.core().greeting());
    say(FrameKind.WELCOME, epoch, welcome::write);
    if (isOver()) {
      return false;
    }
    finish();
    return true;
  }

  private void refuse(Refusal refusal) {
    if (!isOver()) {
      say(FrameKind.REFUSED, epoch, refusal::write);
      finish();
      link.close();
    }
  }

  @Override
  String late() {
    return "%s connected, and did not greet within %d ms: it may not be a Verbena client, or it is held up"
        .formatted(link.peerAddress(), LIMIT.toMillis());
  }

  @Override
  void onBroken(String reason) {
    if (asked != null) {
      asked.withdraw();
    }
    LOG.debug("No session with {}: {}", link.peerAddress(), reason);
  }
}
