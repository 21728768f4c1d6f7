package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a client's session its links: connects when there is something to call, reconnects to
 * resume, and starts a new session when the server has lost the old one.
 *
 * <pre>
 *   IDLE ──call──→ CONNECTING ──welcome──→ (attached) ──link lost──→ CONNECTING to resume
 *    ↑                 │ failed: calls that wait fail; the next attempt is delayed
 *    └─────────────────┘ resuming: tries again until the resume window is over
 * </pre>
 *
 * <p>While a better link carries the calls, a lost first link is made again beside it.
 */
public final class Connector implements SessionRole {
  private static final Logger LOG = LoggerFactory.getLogger(Connector.class);
  private static final long FIRST_DELAY_NANOS = 10_000_000;
  private static final long LONGEST_DELAY_NANOS = 1_000_000_000;
  private static final int RESUME_ATTEMPTS = 5;

  private final ConnectorConfig config;
  private final EventLoop loop;
  private final SessionCore session;
  private final List<Consumer<@Nullable Failure>> waiters = new ArrayList<>();
  private SessionKey key = SessionKey.NONE;
  private int epoch;
  private boolean connecting;
  private long retryTimer = Timers.NONE;
  private long delayNanos;
  private boolean resumeDue;
  private long resumeUntil;

  /** The link that the greeting under way wants to keep; 0 for none. */
  private int keptEpoch;

  /** Why there is no session. */
  public record Failure(RpcStatus status, String reason) {}

  /** A session that will connect there when it is first used. */
  public Connector(SessionContext context, ConnectorConfig config) {
    this.config = config;
    this.loop = context.loop();
    this.session = new SessionCore(context, this);
  }

  /** Returns the session. Safe for any thread. */
  public Session session() {
    return session;
  }

  /** Returns the same, as the core sees it. */
  public SessionCore core() {
    return session;
  }

  /** Returns whether the calling thread steps the session's loop, and must not wait for it. */
  public boolean isOnItsLoop() {
    return loop.isOwner();
  }

  /** Connects now, as {@link #open}. Safe for any thread; the waiter is called on the loop. */
  public void openFromAnyThread(Consumer<@Nullable Failure> waiter) {
    loop.execute(() -> open(waiter));
  }

  /** Connects now; the waiter hears the outcome: null, or why there is no session. On the loop. */
  public void open(Consumer<@Nullable Failure> waiter) {
    if (session.isAttached() && session.mayCall()) {
      waiter.accept(null);
    } else if (session.isEnded()) {
      waiter.accept(new Failure(RpcStatus.CANCELLED, "the session is closed"));
    } else {
      waiters.add(waiter);
      linkWanted();
    }
  }

  // ---- attempts ----

  @Override
  public void linkWanted() {
    boolean tooEarly = isResuming() && session.isDrainingLinks(); // it tells when it is time
    if (!connecting && retryTimer == Timers.NONE && !tooEarly) {
      connect();
    }
  }

  private boolean isResuming() {
    return key.id() != 0;
  }

  private void connect() {
    connecting = true;
    loop.driver()
        .connect(
            config.address(),
            isResuming() ? resumeOptions() : config.link(),
            new LinkDriver.ConnectHandler() {
              @Override
              public LinkListener onConnected(Link link) {
                return greet(link);
              }

              @Override
              public void onFailed(LinkException failure) {
                attemptFailed(RpcStatus.UNAVAILABLE, String.valueOf(failure.getMessage()));
              }
            });
  }

  /** An attempt that goes unanswered must leave time for others within the resume window. */
  private LinkOptions resumeOptions() {
    LinkOptions link = config.link();
    Duration part = session.limits().resumeWindow().dividedBy(RESUME_ATTEMPTS);
    Duration timeout = part.compareTo(link.connectTimeout()) < 0 ? part : link.connectTimeout();
    return new LinkOptions(link.maxFrameBytes(), timeout, link.tls());
  }

  /** A server that takes connections and says nothing does not lengthen the resume window. */
  private Duration handshakeLimit() {
    Duration left = Duration.ofNanos(Math.max(1, resumeUntil - loop.now()));
    return isResuming() && left.compareTo(Handshake.LIMIT) < 0 ? left : Handshake.LIMIT;
  }

  private LinkListener greet(Link link) {
    Hello hello;
    try {
      hello = hello();
    } catch (RuntimeException e) {
      attemptFailed(RpcStatus.UNAVAILABLE, "no token for the server can be had: " + e);
      throw e; // closes the link
    }
    ClientHandshake handshake = new ClientHandshake(link, loop, handshakeLimit(), this);
    LinkPort port = new LinkPort(handshake);
    handshake.begin(port, nextEpoch(), hello);
    return port;
  }

  private Hello hello() {
    keptEpoch = session.lanes().settledEpoch();
    return new Hello(
        FrameHeader.VERSION,
        FrameHeader.VERSION,
        0,
        key,
        session.received(),
        keptEpoch,
        new PeerLimits(
            session.limits().maxMessageBytes(),
            config.link().maxFrameBytes(),
            session.limits().maxCalls()),
        config.token().get(),
        session.services().offered());
  }

  // ---- outcomes, from the handshake ----

  void welcomed(Link link, LinkPort port, Welcome welcome) {
    connecting = false;
    if (session.isEnded()) {
      link.abort("the session was closed meanwhile");
      return;
    }
    boolean resumed = isResuming();
    key = welcome.key();
    String identity = link.peerPrincipal() == null ? Peer.ANONYMOUS : link.peerPrincipal();
    Peer peer = new Peer(identity, link.peerAddress());
    if (keptEpoch != 0) {
      welcomedBeside(link, port, peer);
      return;
    }
    resumeDue = false;
    if (!session.attach(link, port, epoch, welcome.received(), welcome.limits(), peer)) {
      link.abort("protocol error: the server's account of the session cannot be true");
      peerLost("the server's account of the session cannot be true");
      return;
    }
    delayNanos = 0;
    if (!resumed) {
      session.peerServes(welcome.services());
    }
    LOG.debug("Session {} {} with {}", key, resumed ? "resumed" : "opened", peer.address());
    if (session.mayCall()) {
      tellWaiters(null);
    }
  }

  private void welcomedBeside(Link link, LinkPort port, Peer peer) {
    if (session.lanes().settledEpoch() != keptEpoch) {
      String gone = "the link it was to be beside is gone";
      link.abort(gone);
      attemptFailed(RpcStatus.UNAVAILABLE, gone);
      return;
    }
    resumeDue = false;
    delayNanos = 0;
    session.attachFirst(link, port, epoch, peer);
    LOG.info("Session {} has a first link to {} again", key, peer.address());
  }

  @Override
  public boolean isClient() {
    return true;
  }

  @Override
  public int nextEpoch() {
    return ++epoch;
  }

  @Override
  public void upgraded() {
    tellWaiters(null);
  }

  @Override
  public void upgradeFailed(String reason) {
    tellWaiters(new Failure(RpcStatus.UNAVAILABLE, reason));
  }

  void refused(Refusal refusal) {
    if (refusal.sessionUnknown() && isResuming()) {
      connecting = false;
      peerLost("the server has lost the session: " + refusal.message());
    } else if (refusal.resumeWhole() && session.lanes().settledEpoch() != 0) {
      connecting = false;
      String reason = "the peer gave it up: " + refusal.message();
      session.closeLinks(reason, () -> session.controlLost(reason));
    } else {
      attemptFailed(refusal.status(), refusal.message());
    }
  }

  void attemptFailed(RpcStatus status, String reason) {
    connecting = false;
    if (session.isEnded()) {
      return;
    }
    delayNanos = Math.clamp(delayNanos * 2, FIRST_DELAY_NANOS, LONGEST_DELAY_NANOS);
    if (!isResuming()) {
      session.failWaiting(status, reason);
      tellWaiters(new Failure(status, reason));
      retryTimer = loop.timers().schedule(loop.now() + delayNanos, now -> retry());
    } else if (status == RpcStatus.UNAVAILABLE && loop.now() - resumeUntil < 0) {
      retryTimer = loop.timers().schedule(loop.now() + delayNanos, now -> retry());
    } else {
      LOG.info("Session {} with {} is lost: {}", key, config.address(), reason);
      key = SessionKey.NONE;
      resumeDue = false;
      session.forgetPeer(reason);
      session.failWaiting(status, reason);
      tellWaiters(new Failure(status, reason));
    }
  }

  private void retry() {
    retryTimer = Timers.NONE;
    if (!session.isEnded() && session.lacksFirstLink() && (isResuming() || session.hasCalls())) {
      connect();
    }
  }

  private void tellWaiters(@Nullable Failure failure) {
    List<Consumer<@Nullable Failure>> told = new ArrayList<>(waiters);
    waiters.clear();
    told.forEach(waiter -> waiter.accept(failure));
  }

  // ---- what happens to the session ----

  @Override
  public void linkLost(String reason) {
    if (!session.isAttached()) { // else its links have told where its calls stay
      LOG.info("Session {} lost its link to {}: {}; resuming", key, config.address(), reason);
    }
    if (!resumeDue) { // the loss of another link meanwhile buys no more time
      resumeDue = true;
      resumeUntil = loop.now() + session.limits().resumeWindow().toNanos();
    }
    linkWanted();
  }

  @Override
  public void peerLost(String reason) {
    LOG.info("Session {} with {} is lost: {}", key, config.address(), reason);
    key = SessionKey.NONE;
    resumeDue = false;
    session.forgetPeer(reason);
    if (session.hasCalls()) {
      linkWanted();
    }
  }

  @Override
  public void ended() {
    loop.timers().cancel(retryTimer);
    retryTimer = Timers.NONE;
    tellWaiters(new Failure(RpcStatus.CANCELLED, "the session was closed"));
    config.whenEnded().accept(session);
  }
}
