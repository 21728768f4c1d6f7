package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.core.Authenticator;
import io.verbena.core.Authenticator.AuthenticationException;
import io.verbena.core.Authenticator.Credentials;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.Welcome;
import io.verbena.core.link.Link;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's side of opening or resuming a session over a new link. */
final class ServerHandshake extends Handshake {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHandshake.class);

  private final SessionContext context;
  private final @Nullable Authenticator authenticator;
  private final Acceptor acceptor;
  private final LinkPort port = new LinkPort(this);
  private @Nullable Hello hello;
  private int epoch;

  ServerHandshake(
      Link link, SessionContext context, @Nullable Authenticator authenticator, Acceptor acceptor) {
    super(link, context.loop(), LIMIT);
    this.context = context;
    this.authenticator = authenticator;
    this.acceptor = acceptor;
  }

  LinkPort begin() {
    startTimer();
    return port;
  }

  /** Returns the link's number in its session, as the client counts. */
  int epoch() {
    return epoch;
  }

  @Override
  void onWord(FrameKind kind, int epoch, WireDecoder body) {
    if (kind != FrameKind.HELLO || hello != null) {
      fail("protocol error while opening: the client says " + kind);
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
              "the client speaks protocol versions %d to %d, this server %d: upgrade the older end"
                  .formatted(greeting.minVersion(), greeting.maxVersion(), FrameHeader.VERSION)));
    } else {
      authenticate(greeting);
    }
  }

  private void authenticate(Hello greeting) {
    Authenticator judge = authenticator;
    String principal = link.peerPrincipal();
    if (judge == null) {
      open(greeting, principal == null ? Peer.ANONYMOUS : principal);
      return;
    }
    Credentials shown = new Credentials(greeting.token(), principal, link.peerAddress());
    try {
      context.handlers().execute(() -> judge(judge, shown, greeting));
    } catch (RejectedExecutionException e) {
      refuse(new Refusal(RpcStatus.UNAVAILABLE, false, false, "the server is shutting down"));
    }
  }

  /** Runs off the loop: an authenticator may ask somebody else. */
  private void judge(Authenticator judge, Credentials shown, Hello greeting) {
    try {
      String identity = judge.authenticate(shown);
      loop.execute(() -> open(greeting, identity));
    } catch (AuthenticationException e) {
      LOG.info("Client at {} refused: {}", shown.address(), e.getMessage());
      String why = String.valueOf(e.getMessage());
      loop.execute(() -> refuse(new Refusal(RpcStatus.UNAUTHENTICATED, false, false, why)));
    } catch (RuntimeException e) {
      LOG.error("The authenticator failed; the client at {} is refused", shown.address(), e);
      Refusal refusal =
          new Refusal(
              RpcStatus.UNAVAILABLE, false, false, "the server could not check the credentials");
      loop.execute(() -> refuse(refusal));
    }
  }

  private void open(Hello greeting, String identity) {
    if (isOver()) {
      return; // the client did not wait
    }
    boolean isNew = greeting.key().id() == 0;
    String refusal = acceptor.refusal(isNew);
    if (refusal != null) {
      refuse(new Refusal(RpcStatus.UNAVAILABLE, false, false, refusal));
      return;
    }
    AcceptedSession session = isNew ? acceptor.open() : acceptor.find(greeting.key());
    if (session == null) {
      refuse(
          new Refusal(
              RpcStatus.UNAVAILABLE,
              true,
              false,
              "no session " + greeting.key() + " here: it ended, or the server was restarted"));
      return;
    }
    if (!isNew && !session.core().peer().identity().equals(identity)) {
      refuse(
          new Refusal(
              RpcStatus.PERMISSION_DENIED, true, false, "the session belongs to somebody else"));
      return;
    }
    Peer peer = new Peer(identity, link.peerAddress());
    if (isNew || greeting.keptEpoch() == 0) {
      acceptor.welcome(this, port, session, greeting, peer);
    } else {
      acceptor.welcomeBeside(this, port, session, greeting.keptEpoch(), peer);
    }
  }

  /** Says that the session is open; returns whether the link took it. */
  boolean welcome(Welcome welcome) {
    say(FrameKind.WELCOME, epoch, welcome::write);
    if (isOver()) {
      return false;
    }
    finish();
    return true;
  }

  void refuse(Refusal refusal) {
    if (!isOver()) {
      say(FrameKind.REFUSED, epoch, refusal::write);
      finish();
      link.close();
    }
  }

  @Override
  void onBroken(String reason) {
    LOG.debug("No session with {}: {}", link.peerAddress(), reason);
  }
}
