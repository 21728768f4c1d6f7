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
 * One of a channel's servers: its session, which it keeps open, and what became of the calls there.
 * Safe for any thread.
 */
final class Member implements Balancer.Candidate, SessionListener {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ChannelSettings settings;
  private final VerbenaClient client;
  private final Members members;
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
  private Runnable withdraw = () -> {};
  private String obstacle = "";
  private int failedCalls;
  private int ejections;

  /** It belongs to the channel no more, and its session ends with its last call. */
  private volatile boolean retired;

  private volatile boolean ejected;
  private volatile long ejectedUntil;

  Member(ChannelSettings settings, VerbenaClient client, Members members, Endpoint endpoint) {
    this.settings = settings;
    this.client = client;
    this.members = members;
    this.endpoint = endpoint;
    String authority = settings.authority();
    this.session =
        client.sessionOfMany(
            endpoint.address(), authority.isEmpty() ? endpoint.authority() : authority);
    String service = settings.healthOf();
    this.health =
        service == null ? null : new HealthWatch(settings, session, service, members::changed);
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

  /** Something else is told of it. */
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

  /** Returns whether it takes calls, apart from ejection. */
  boolean isReady() {
    return session.state() == SessionState.OPEN && (health == null || health.isServing());
  }

  /** Returns whether calls may wait there, if nobody else takes them: it is being reached again. */
  boolean isResuming() {
    return session.state() == SessionState.RESUMING && (health == null || health.isServing());
  }

  /** Returns whether it may soon be known to be ready. */
  synchronized boolean isPromising() {
    return switch (session.state()) {
      case IDLE -> connecting || failedConnects == 0; // lost just now, and to be connected to
      case OPEN -> health != null && (connecting || health.asks()); // asked once it is told of
      case RESUMING, DRAINING, ENDED -> connecting;
    };
  }

  /** Returns whether it is being connected to for the first time. */
  synchronized boolean isNew() {
    return connecting && failedConnects == 0 && session.state() == SessionState.IDLE;
  }

  boolean isEjected() {
    if (ejected && settings.time().nanoTime() - ejectedUntil >= 0) {
      ejected = false;
    }
    return ejected;
  }

  /** Returns whether its session has ended, which it does with its client alone. */
  boolean isOver() {
    return session.state() == SessionState.ENDED;
  }

  boolean isRetired() {
    return retired;
  }

  /** Returns what is in the way of calls, in words; empty if nothing is. */
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
      health.begin(); // before it counts as connected: calls wait for the first answer
    }
    synchronized (this) {
      connecting = false;
      if (failure == null) {
        failedConnects = 0;
        obstacle = "";
      } else if (!retired && session.state() != SessionState.ENDED) { // with its client
        failedConnects++;
        obstacle = String.valueOf(failure.getMessage());
        long delay = settings.reconnect().nanos(failedConnects, settings.random());
        withdraw = settings.time().after(delay, this::connect);
      }
    }
    if (failure != null) {
      members.unreachable();
    }
    members.changed();
  }

  @Override
  public void lost(Session session, String reason) {
    members.changed();
  }

  @Override
  public void resumed(Session session) {
    members.changed();
  }

  @Override
  public void draining(Session session, String reason) {
    members.changed();
  }

  @Override
  public void ended(Session session, RpcStatus status, String reason) {
    if (health != null) {
      health.end();
    }
    members.unreachable();
    connect();
  }

  /** Belongs to the channel no more: the session ends when its calls have. */
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

  /** Ends the session, whatever is under way. */
  void close() {
    retire();
    session.close();
  }

  // ---- calls ----

  /** An attempt begins here. */
  void begin() {
    inFlight.incrementAndGet();
    attempts.increment();
  }

  /**
   * The attempt is over.
   *
   * @param failure null: the server has answered, be it with a declared exception
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

  /** Returns whether this end makes more calls at once than it may: the server has done nothing. */
  static boolean isOfThisEnd(RpcException failure) {
    return failure.status() == RpcStatus.RESOURCE_EXHAUSTED && failure.phase() == CallPhase.QUEUED;
  }

  private static boolean isItsOwn(RpcException failure) {
    return switch (failure.status()) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL, PROTOCOL_ERROR -> true;
      case RESOURCE_EXHAUSTED -> !isOfThisEnd(failure);
      // No answer of a handler: it is another server that is behind the address, or another
      // version.
      case UNIMPLEMENTED, INCOMPATIBLE -> failure.execution() == Execution.NOT_EXECUTED;
      case CANCELLED, INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED -> false;
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
