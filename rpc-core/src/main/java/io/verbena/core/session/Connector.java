package io.verbena.core.session;

import io.verbena.api.Peer;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.codec.WireDecoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.link.CertificateNames;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.ThrottledLog;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides the links of a client's session. It connects when there is a call, reconnects to resume,
 * and starts a new session when the server has lost the old one.
 *
 * <pre>
 *   IDLE ──call──→ CONNECTING ──welcome──→ (attached) ──link lost──→ CONNECTING to resume
 *    ↑                 │ failed: calls that wait fail; the next attempt is delayed
 *    └─────────────────┘ resuming: tries again until the resume window is over
 * </pre>
 *
 * <p>If the server's port refuses connections, the session is lost before the window ends. Calls
 * that were sent fail. Other calls wait for a new session until the window is over. So do unsent
 * calls for a server that shut down.
 *
 * <p>If the first link is lost while a better link carries the calls, the connector makes another
 * first link.
 *
 * <p>The class is long, because every way of opening a session shares one state: the present
 * attempt, its times and its waiters.
 */
public final class Connector implements SessionRole {
  private static final Logger LOG = LoggerFactory.getLogger(Connector.class);
  private static final ThrottledLog LOST =
      ThrottledLog.of(Connector.class, "servers that were lost, or shut down");
  private static final ThrottledLog AGAIN =
      ThrottledLog.of(Connector.class, "servers that were there again");
  private static final ThrottledLog NOT_SET_UP =
      ThrottledLog.of(Connector.class, "sessions that could not be set up");

  private static final String SHUT_DOWN =
      "the server has shut down: call again what it left unanswered, if that may run twice";

  private final SessionContext context;
  private final Opener opener;
  private final URI address;
  private final @Nullable Supplier<String> token;
  private final boolean keepsOpen;
  private final boolean oneOfMany;
  private final Consumer<Session> whenEnded;
  private final EventLoop loop;
  public final SessionImpl session;
  private final AttemptTimes times;
  private final List<Consumer<@Nullable Failure>> waiters = new ArrayList<>();
  private SessionKey key = SessionKey.NONE;
  private int epoch;

  /** The epoch of the link that carried the last greeting. */
  private int greetedEpoch;

  private boolean connecting;

  /** The last call of the user's token supplier; null if there is none. */
  private @Nullable TimedCallback<String> asked;

  private long retryTimer = Timers.NONE;
  private @Nullable String obstacle;

  /** Whether the last server has shut down and no new one was found since. */
  private boolean shutDown;

  /** Whether the loss of the server has been logged. */
  private boolean missed;

  /** The epoch of the link that the present greeting wants to keep; 0 for none. */
  private int keptEpoch;

  /** Opens a session's links, as {@link LinkDriver#connect} does. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Opens a link. The handler receives the outcome exactly once, later, on the session's loop.
     */
    void open(URI address, LinkOptions options, LinkDriver.ConnectHandler handler);
  }

  public record Failure(RpcStatus status, String reason) {}

  /**
   * Makes a session that will connect when it is first used.
   *
   * @param maker makes the session with its participants
   * @param opener opens its links
   * @param address of the server
   * @param token supplies the credentials for each attempt, not on the loop; null for none
   * @param keepsOpen whether to connect without a call, and again when the peer is gone
   * @param oneOfMany whether calls fail, rather than wait, if they cannot reach this server,
   *     because a channel can use another
   * @param whenEnded runs on the loop when the session has ended for good
   */
  public Connector(
      SessionContext context,
      BiFunction<SessionContext, SessionRole, SessionImpl> maker,
      Opener opener,
      URI address,
      @Nullable Supplier<String> token,
      boolean keepsOpen,
      boolean oneOfMany,
      Consumer<Session> whenEnded) {
    this.context = context;
    this.opener = opener;
    this.address = address;
    this.token = token;
    this.keepsOpen = keepsOpen;
    this.oneOfMany = oneOfMany;
    this.whenEnded = whenEnded;
    this.loop = context.loop();
    this.times =
        new AttemptTimes(loop::now, context.link(), context.limits().resumeWindow(), loop.random());
    this.session = maker.apply(context, this);
  }

  /** Returns the server's address. Safe for use by any thread. */
  public String address() {
    return address.toString();
  }

  /**
   * Connects now. The waiter receives null, or the reason why there is no session, on the loop.
   * Safe for use by any thread.
   */
  public void open(Consumer<@Nullable Failure> waiter) {
    loop.execute(() -> openOnLoop(waiter));
  }

  private void openOnLoop(Consumer<@Nullable Failure> waiter) {
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
    if (loop.isSteppedByCaller()) {
      loop.execute(this::linkWanted); // its own thread opens links
      return;
    }
    if (!connecting && retryTimer == Timers.NONE && !isTooEarly()) {
      times.beginOpening();
      connect();
    }
  }

  /** Returns whether the last links are still being drained. The session reports their end. */
  private boolean isTooEarly() {
    return isResuming() && session.links.isClosingAll();
  }

  private boolean isResuming() {
    return key.id() != 0;
  }

  /** Gets a token first, and then a link. */
  private void connect() {
    connecting = true;
    times.attemptBegins();
    Supplier<String> supplier = token;
    if (supplier == null) {
      connect("");
      return;
    }
    asked =
        TimedCallback.ask(
            loop,
            context.workers().deciders(),
            times.tokenLimit(isResuming()),
            supplier::get,
            this::connect,
            silence -> untrusted("this client's token supplier " + silence.words()));
  }

  private void connect(String token) {
    LinkOptions options = times.linkOptions(isResuming());
    opener.open(
        address,
        options,
        new LinkDriver.ConnectHandler() {
          @Override
          public LinkListener onConnected(Link link) {
            return greet(link, token);
          }

          @Override
          public void onFailed(LinkException failure) {
            linkFailed(failure, options);
          }
        });
  }

  private void linkFailed(LinkException failure, LinkOptions options) {
    String reason = failure.getMessage() + times.shortage(isResuming(), options);
    boolean gone = times.isGone(failure);
    if (gone && isResuming() && !session.isAttached() && !session.isEnded()) {
      forgetPeer(reason); // sent calls fail, unsent calls wait for a new session
    }
    if (failure.isUntrusted()) {
      untrusted(reason);
    } else {
      attemptFailed(RpcStatus.UNAVAILABLE, reason);
    }
  }

  /**
   * One end does not trust the other's certificate, or the token supplier has failed. Only a user
   * can help. But while the session resumes, certificates may be replaced soon, and the supplier's
   * next answer may be in time.
   */
  private void untrusted(String reason) {
    attemptFailed(isResuming() ? RpcStatus.UNAVAILABLE : RpcStatus.UNAUTHENTICATED, reason);
  }

  private void forgetPeer(String reason) {
    missed = true;
    if (shutDown) {
      LOST.info("The server at {} has shut down", address);
    } else {
      LOST.warn("The server at {} is lost: {}", address, reason);
    }
    key = SessionKey.NONE;
    session.forgetPeer(reason);
  }

  private LinkListener greet(Link link, String token) {
    ClientHandshake handshake = new ClientHandshake(link, times.handshakeLimit(isResuming()));
    greetedEpoch = nextEpoch();
    handshake.begin(greetedEpoch, hello(link, token));
    return handshake;
  }

  private Hello hello(Link link, String token) {
    keptEpoch = session.links.settledEpoch();
    return new Hello(
        FrameHeader.VERSION,
        FrameHeader.VERSION,
        0,
        key,
        session.received(),
        keptEpoch,
        context.takes(),
        token,
        session.greeting(),
        keptEpoch == 0 ? session.upgrade.greets(link) : null);
  }

  // ---- outcomes, from the handshake ----

  private void welcomed(Link link, Welcome welcome) {
    connecting = false;
    if (session.isEnded()) {
      link.abort("the session was closed during the handshake");
      return;
    }
    if (isTooEarly()) { // this attempt began while there was a link
      link.abort("other links of the session are still closing");
      return;
    }
    boolean resumed = isResuming();
    key = welcome.key();
    String server = CertificateNames.of(link.peerCertificates()).principal();
    Peer peer = new Peer(server == null ? Peer.ANONYMOUS : server, link.peerAddress());
    if (keptEpoch != 0) {
      welcomedBeside(link, peer);
      return;
    }
    times.linked();
    shutDown = false;
    if (!session.attach(link, greetedEpoch, welcome.received(), welcome.limits(), peer)) {
      link.abort("protocol error: the server's frame numbers of the session are impossible");
      peerLost("the server's frame numbers of the session are impossible");
      return;
    }
    if (!resumed) {
      session.peerServes(welcome.services(), (welcome.features() & Welcome.KEEPS_CONTRACTS) == 0);
    }
    if (missed) {
      missed = false;
      AGAIN.info("The server at {} is there again", address);
    }
    LOG.debug("Session {} {} with {}", key, resumed ? "resumed" : "opened", peer.address());
    if (session.mayCall()) {
      tellWaiters(null);
    }
  }

  private void welcomedBeside(Link link, Peer peer) {
    if (session.links.settledEpoch() != keptEpoch) {
      String gone = "the better link of this session is gone";
      link.abort(gone);
      attemptFailed(RpcStatus.UNAVAILABLE, gone);
      return;
    }
    times.linked();
    obstacle = null;
    session.attachFirst(link, greetedEpoch, peer);
    LOG.debug("Session {} has a first link to {} again", key, peer.address());
  }

  @Override
  public boolean callsWait() {
    return !oneOfMany;
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

  private void refused(Refusal refusal) {
    if (refusal.sessionUnknown() && isResuming()) {
      connecting = false;
      peerLost("the session cannot be resumed: " + refusal.message());
    } else if (refusal.resumeWhole() && session.links.settledEpoch() != 0) {
      connecting = false;
      String reason = "the server refused to resume it: " + refusal.message();
      session.closeLinks(reason, () -> session.controlLost(reason));
    } else {
      attemptFailed(refusal.status(), refusal.message());
    }
  }

  /** A connection was lost before it had a session. That may be chance, so another is made. */
  private void greetingLost(String reason) {
    boolean again = !isResuming() && !session.isEnded() && times.mayGreetAgain();
    if (!again) {
      attemptFailed(RpcStatus.UNAVAILABLE, reason);
      return;
    }
    connecting = false;
    later(
        times.lengthenDelay(),
        () -> {
          if (!session.isEnded()) {
            connect();
          }
        });
  }

  private void attemptFailed(RpcStatus status, String met) {
    String reason =
        shutDown ? "the server shut down, and no new one has been found yet: " + met : met;
    connecting = false;
    obstacle = reason;
    if (session.isEnded()) {
      return;
    }
    long delay = times.lengthenDelay();
    boolean resuming = isResuming();
    if (status != RpcStatus.UNAVAILABLE || !times.isRepeating()) {
      times.stopRepeating();
      if (resuming) {
        forgetPeer(reason);
      }
      session.failWaiting(status, reason);
      tellWaiters(new Failure(status, reason));
      if (resuming && !keepsOpen) {
        return;
      }
    }
    later(delay, this::retry);
  }

  private void later(long delay, Runnable action) {
    retryTimer =
        loop.timers()
            .schedule(
                loop.now() + delay,
                now -> {
                  retryTimer = Timers.NONE;
                  action.run();
                });
  }

  private void retry() {
    if (!session.isEnded() && session.links.control() == null && (isResuming() || isWanted())) {
      linkWanted();
    }
  }

  /** Connects again after a loss: at once, or later if links do not last. */
  private void connectAgain() {
    long delay = times.delayAfterLoss();
    if (delay > 0 && !connecting && retryTimer == Timers.NONE) {
      later(delay, this::retry);
    } else if (isResuming() || isWanted()) {
      linkWanted();
    }
  }

  private boolean isWanted() {
    return session.hasCalls() || keepsOpen || !waiters.isEmpty();
  }

  private void tellWaiters(@Nullable Failure failure) {
    List<Consumer<@Nullable Failure>> told = new ArrayList<>(waiters);
    waiters.clear();
    told.forEach(waiter -> waiter.accept(failure));
  }

  // ---- what happens to the session ----

  @Override
  public void linkLost(String reason) {
    if (!session.isAttached()) { // otherwise its links have reported that calls continue
      LOG.debug("Session {} lost its link to {}: {}; resuming", key, address, reason);
    }
    if (!times.hasBegunToRepeat()) { // the loss of another link does not extend the window
      obstacle = "its connection was lost: " + reason;
      times.repeat();
    }
    connectAgain();
  }

  @Override
  public void peerLost(String reason) {
    times.stopRepeating();
    obstacle = reason;
    goOnWithoutPeer(reason);
  }

  @Override
  public void peerLeft(String reason) {
    if (session.peerDrains()) {
      shutDown = true;
      obstacle = "the server shut down";
      if (callsWait()) {
        times.repeat(); // its successor may take some time to start
      }
      goOnWithoutPeer(SHUT_DOWN);
    } else {
      peerLost(reason);
    }
  }

  private void goOnWithoutPeer(String reason) {
    forgetPeer(reason);
    if (!session.isEnded()) {
      connectAgain();
    }
  }

  @Override
  public @Nullable String obstacle() {
    if (session.isAttached()) {
      return obstacle != null && times.isNew()
          ? "there was no link until %d ms ago: %s".formatted(times.linkedMillis(), obstacle)
          : null;
    }
    String met = obstacle;
    if (connecting) {
      String silent = address + " has not answered for " + times.attemptMillis() + " ms";
      met = met == null ? silent : silent + "; before that: " + met;
    }
    return met == null ? null : "there was no link: " + met;
  }

  @Override
  public void ended() {
    if (asked != null) {
      asked.withdraw();
    }
    loop.timers().cancel(retryTimer);
    retryTimer = Timers.NONE;
    tellWaiters(new Failure(RpcStatus.CANCELLED, "the session was closed"));
    whenEnded.accept(session);
  }

  /** The client's side of opening or resuming a session over a new link. */
  private final class ClientHandshake extends SessionHandshake {
    private final String late;
    private boolean greeted;

    ClientHandshake(Link link, Duration limit) {
      super(link, Connector.this.loop, limit);
      this.late = times.silence(isResuming(), limit);
    }

    void begin(int epoch, Hello hello) {
      greeted = true;
      startTimer();
      send(FrameKind.HELLO, epoch, hello::write);
    }

    @Override
    void onWord(FrameKind kind, int epoch, WireDecoder body) {
      if (kind == FrameKind.WELCOME && greeted) {
        Welcome welcome = Welcome.read(body);
        finish();
        setUp(welcome);
      } else if (kind == FrameKind.REFUSED) {
        Refusal refusal = Refusal.read(body);
        finish();
        link.close();
        refused(refusal);
      } else {
        fail("protocol error while opening: the server answered with " + kind);
      }
    }

    private void setUp(Welcome welcome) {
      try {
        welcomed(link, welcome);
      } catch (RuntimeException e) {
        NOT_SET_UP.error("A session with {} could not be set up", link.peerAddress(), e);
        link.abort("the session could not be set up: " + e);
        attemptFailed(RpcStatus.INTERNAL, "the session could not be set up: " + e);
      }
    }

    @Override
    String late() {
      return link.peerAddress() + " accepted the connection, and then " + late;
    }

    @Override
    void onLost(String reason) {
      greetingLost(reason);
    }

    @Override
    void onRefused(String reason) {
      untrusted(reason);
    }

    @Override
    void onBroken(String reason) {
      attemptFailed(RpcStatus.UNAVAILABLE, reason);
    }
  }
}
