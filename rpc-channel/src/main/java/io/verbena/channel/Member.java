package io.verbena.channel;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionState;
import io.verbena.core.VerbenaClient;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One server of a channel. It keeps a session open, and counts how calls there end. Safe for use by
 * any thread.
 */
final class Member implements Balancer.Candidate, SessionListener {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ChannelSettings settings;
  private final VerbenaClient client;
  private final Runnable whenUnreachable;
  private final Runnable whenChanged;
  private final Session session;
  private final @Nullable HealthWatch health;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final LongAdder attempts = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private volatile Endpoint endpoint;

  // ---- under its lock ----
  private boolean connecting;

  /** When it last began to. */
  private long connectingSince;

  private int failedConnects;

  /** Whether the attempt under way may have begun too early, and is repeated if it fails. */
  private boolean connectsAgain;

  private Runnable withdraw = () -> {};
  private String obstacle = "";
  private int failedCalls;
  private int ejections;

  /** The channel has let go of the server; its session ends with its last call. */
  private volatile boolean retired;

  private volatile boolean ejected;
  private volatile long ejectedUntil;

  Member(
      ChannelSettings settings,
      VerbenaClient client,
      Endpoint endpoint,
      Runnable whenUnreachable,
      Runnable whenChanged) {
    this.settings = settings;
    this.client = client;
    this.endpoint = endpoint;
    this.whenUnreachable = whenUnreachable;
    this.whenChanged = whenChanged;
    String authority = settings.authority();
    this.session =
        client.sessionOfMany(
            endpoint.address(), authority.isEmpty() ? endpoint.authority() : authority);
    String service = settings.healthOf();
    this.health = service == null ? null : new HealthWatch(settings, session, service, whenChanged);
  }

  /** Begins to connect. */
  void start() {
    session.listen(this);
    connect();
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  /** Takes new data of the endpoint, such as its weight. */
  void endpoint(Endpoint now) {
    endpoint = now;
  }

  @Override
  public int inFlight() {
    return inFlight.get();
  }

  Session session() {
    return session;
  }

  // ---- whether calls may go there ----

  /** Returns whether the server takes calls. Ejection is not considered. */
  boolean isReady() {
    return session.state() == SessionState.OPEN && (health == null || health.isServing());
  }

  /**
   * Returns whether calls may wait for this server, if no other takes them: its session is
   * resuming.
   */
  boolean isResuming() {
    return session.state() == SessionState.RESUMING && (health == null || health.isServing());
  }

  /** Returns whether the server may turn out to be ready soon. */
  synchronized boolean isPromising() {
    return switch (session.state()) {
      case IDLE -> connecting || failedConnects == 0; // just lost, or about to connect
      // The first question goes out as soon as the session is open.
      case OPEN -> health != null && (connecting || health.asks());
      case RESUMING, DRAINING, ENDED -> connecting;
    };
  }

  /** Returns whether this is the first attempt to connect. */
  synchronized boolean isNew() {
    return connecting && failedConnects == 0 && session.state() == SessionState.IDLE;
  }

  boolean isEjected() {
    if (ejected && settings.time().nanoTime() - ejectedUntil >= 0) {
      ejected = false;
    }
    return ejected;
  }

  /** Returns whether the session has ended, which happens only when its client is closed. */
  boolean isOver() {
    return session.state() == SessionState.ENDED;
  }

  boolean isRetired() {
    return retired;
  }

  /** Returns the reason that the server takes no calls; empty if there is none. */
  String obstacle() {
    SessionState state = session.state();
    if (state == SessionState.OPEN) {
      return health == null ? "" : health.obstacle();
    }
    if (state == SessionState.DRAINING) {
      return "it shuts down";
    }
    synchronized (this) {
      if (connecting) {
        long millis = (settings.time().nanoTime() - connectingSince) / NANOS_PER_MILLI;
        String still = "still connecting, for %d ms so far".formatted(millis);
        return obstacle.isEmpty() ? still : still + "; before that: " + obstacle;
      }
      if (!obstacle.isEmpty()) {
        return obstacle;
      }
      return state == SessionState.RESUMING
          ? "its connection was lost, and the session is resumed over a new one"
          : "not connected yet";
    }
  }

  // ---- its session ----

  /** Connects at once if the server could not be reached before. */
  void resetConnectBackoff() {
    synchronized (this) {
      failedConnects = 0;
      if (connecting || session.state() != SessionState.IDLE) {
        connectsAgain = connecting;
        return;
      }
    }
    connect();
  }

  private void connect() {
    synchronized (this) {
      if (connecting || retired) {
        return;
      }
      connecting = true;
      connectingSince = settings.time().nanoTime();
      withdraw.run();
    }
    client.open(session).whenComplete((opened, failure) -> connected(failure));
  }

  private void connected(@Nullable Throwable failure) {
    if (failure == null && health != null) {
      health.begin(); // before the server counts as connected: calls wait for the first answer
    }
    boolean again;
    synchronized (this) {
      connecting = false;
      again = failure != null && connectsAgain && !retired;
      connectsAgain = false;
      if (failure == null) {
        failedConnects = 0;
        obstacle = "";
      } else if (again) {
        obstacle = inWords(failure);
      } else if (!retired && session.state() != SessionState.ENDED) { // if the client was closed
        failedConnects++;
        obstacle = inWords(failure);
        long delay = settings.reconnect().nanos(failedConnects, settings.random());
        withdraw = settings.time().after(delay, this::connect);
      }
    }
    if (again) {
      connect();
      return;
    }
    if (failure != null) {
      whenUnreachable.run();
    }
    whenChanged.run();
  }

  /** Returns the reason, with the status unless that is the channel's own. */
  private static String inWords(Throwable failure) {
    String reason = String.valueOf(failure.getMessage());
    return failure instanceof RpcException rpc && rpc.status() != RpcStatus.UNAVAILABLE
        ? rpc.status() + ": " + reason
        : reason;
  }

  @Override
  public void lost(Session session, String reason) {
    whenChanged.run();
  }

  @Override
  public void resumed(Session session) {
    whenChanged.run();
  }

  @Override
  public void draining(Session session, String reason) {
    whenChanged.run();
  }

  @Override
  public void ended(Session session, RpcStatus status, String reason) {
    if (health != null) {
      health.end();
    }
    whenUnreachable.run();
    connect();
  }

  /** Removes the server from the channel. The session ends when its calls have ended. */
  void retire() {
    synchronized (this) {
      retired = true;
      withdraw.run();
    }
    if (health != null) {
      health.end();
    }
    closeIfDone();
  }

  private void closeIfDone() {
    if (retired && inFlight.get() == 0) {
      session.close();
    }
  }

  /** Ends the session and all calls under way. */
  void close() {
    retire();
    session.close();
  }

  // ---- calls ----

  /** Notes that an attempt begins here. */
  void begin() {
    inFlight.incrementAndGet();
    attempts.increment();
  }

  /**
   * Notes that an attempt has ended.
   *
   * @param failure null if the server has answered, also with a declared exception
   */
  void end(@Nullable Throwable failure) {
    inFlight.decrementAndGet();
    if (failure == null) {
      if (failedCalls != 0 || ejections != 0) {
        answered();
      }
    } else if (failure instanceof RpcException rpc) {
      if (!isOfThisEnd(rpc)) {
        failures.increment();
      }
      if (settings.ejection() != null && isItsOwn(rpc)) {
        failed(settings.ejection());
      }
    }
    closeIfDone();
  }

  private synchronized void answered() {
    failedCalls = 0;
    if (!ejected) {
      ejections = 0;
    }
  }

  private synchronized void failed(Ejection ejection) {
    failedCalls++;
    if (failedCalls >= ejection.failures() && !isEjected()) {
      failedCalls = 0;
      ejections = Math.min(ejections + 1, 64);
      long time = ejection.time().nanos(ejections, settings.random());
      ejectedUntil = settings.time().nanoTime() + time;
      ejected = true;
    }
  }

  /**
   * Returns whether this end refused the call because it makes too many at once. The server is not
   * at fault.
   */
  static boolean isOfThisEnd(RpcException failure) {
    return failure.status() == RpcStatus.RESOURCE_EXHAUSTED && failure.phase() == CallPhase.QUEUED;
  }

  private static boolean isItsOwn(RpcException failure) {
    return switch (failure.status()) {
      case RESOURCE_EXHAUSTED -> !isOfThisEnd(failure);
      // No handler has answered: another server, or another version, is behind the address.
      case UNIMPLEMENTED, INCOMPATIBLE -> failure.execution() == Execution.NOT_EXECUTED;
      default -> failure.status().isServerFault();
    };
  }

  ChannelStat.EndpointStat stat() {
    return new ChannelStat.EndpointStat(
        endpoint,
        session.state(),
        obstacle(),
        inFlight.get(),
        attempts.sum(),
        failures.sum(),
        isEjected());
  }

  @Override
  public String toString() {
    return endpoint.address();
  }
}
