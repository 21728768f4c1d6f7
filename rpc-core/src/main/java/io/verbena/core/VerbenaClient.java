package io.verbena.core;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.bulk.stat.Costs;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.Connector;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.SessionStat;
import io.verbena.core.stat.Stats;
import io.verbena.core.user.UserSession;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.NanoClock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens sessions to servers. One client serves a whole program. Its sessions share event loops and
 * memory. Safe for use by any thread.
 *
 * <pre>{@code
 * try (VerbenaClient client = VerbenaClient.builder().build()) {
 *   Greeter greeter = GreeterRpc.client(client.connect("localhost:7400"));
 *   System.out.println(greeter.greet("world"));
 * }
 * }</pre>
 */
public final class VerbenaClient implements AutoCloseable {
  /**
   * Opening takes at most four connect timeouts: one for the token, one for the connection and two
   * for the upgrade. The loop needs some time to report the end.
   */
  private static final Duration LOOP_PATIENCE = Duration.ofSeconds(5);

  private final Engine engine;
  private final LinkOptions link;
  private final UpgradeOptions upgrade;
  private final @Nullable Supplier<String> token;
  private final boolean keepsOpen;
  private final Map<SessionImpl, Connector> sessions = new ConcurrentHashMap<>();
  private final Supplier<EngineStat> stat = this::stat;
  private volatile boolean closed;

  private VerbenaClient(Builder builder) {
    this.engine = builder.engine("client");
    this.link = builder.linkOptions();
    this.upgrade = builder.upgradeOptions();
    this.token = builder.token;
    this.keepsOpen = builder.keepsOpen;
  }

  private EngineStat stat() {
    List<SessionStat> all = new ArrayList<>();
    for (SessionImpl session : sessions.keySet()) {
      all.add(Engine.ask(session.loop(), session::stat, session.silentStat()));
    }
    return engine.stat("client", upgrade, null, all);
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Opens a session and waits until it is open, at most for four times {@link
   * Builder#connectTimeout} and 5 s.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @throws RpcException UNAVAILABLE if the server cannot be reached, UNAUTHENTICATED if it refuses
   *     the credentials, or if one end refuses the other's certificate, CANCELLED if the thread was
   *     interrupted
   * @throws IllegalStateException on an event loop, or if the client is closed
   * @throws IllegalArgumentException if the address is malformed
   */
  public Session connect(String address) {
    if (engine.isStepped()) {
      throw new IllegalStateException("a stepped client cannot wait; use session(address)");
    }
    Connector connector = connector(address, link, keepsOpen, false);
    if (connector.session.loop().isNotToWait()) {
      connector.session.close();
      throw new IllegalStateException(
          "connect was called on an event loop, by a nonBlocking handler or a callback of an async"
              + " call, and it would wait. Use session(address) there.");
    }
    long patience = link.connectTimeout().multipliedBy(4).plus(LOOP_PATIENCE).toNanos();
    try {
      opened(connector, failure -> unreachable(address, failure))
          .get(patience, TimeUnit.NANOSECONDS);
      return connector.session;
    } catch (TimeoutException e) {
      connector.session.close();
      throw unreachable(
          address,
          new Connector.Failure(
              RpcStatus.UNAVAILABLE,
              "the event loop does not answer: a nonBlocking handler or a callback of an async call"
                  + " holds it up"));
    } catch (InterruptedException e) {
      connector.session.close();
      Thread.currentThread().interrupt();
      throw unreachable(
          address, new Connector.Failure(RpcStatus.CANCELLED, "the caller was interrupted"));
    } catch (ExecutionException e) {
      connector.session.close();
      if (e.getCause() instanceof RpcException failure) {
        failure.fillInStackTrace();
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Opens a session and checks that the server serves these contracts, as in {@code
   * connect("host:7400", StoreRpc.SERVICE)}. It waits until every method is known to fit. Without
   * the check, only the calls of a method that does not fit fail. If the session opens again later,
   * with another version of the server, the check is not repeated.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @throws RpcException UNIMPLEMENTED if the server does not serve a contract; INCOMPATIBLE if a
   *     method cannot be called, with all differences in the message; otherwise as {@link
   *     #connect(String)}
   */
  public Session connect(String address, ServiceDescriptor<?>... contracts) {
    Session session = connect(address);
    boolean fits = false;
    try {
      for (ServiceDescriptor<?> contract : contracts) {
        require(contract, (UserSession) session, address);
      }
      fits = true;
      return session;
    } finally {
      if (!fits) {
        session.close();
      }
    }
  }

  private static void require(ServiceDescriptor<?> contract, UserSession session, String address) {
    Connector.Failure failure;
    long limit = NanoClock.nanos(session.limits().defaultTimeout());
    try {
      List<String> problems = session.check(contract).get(limit, TimeUnit.NANOSECONDS);
      if (problems.isEmpty()) {
        return;
      }
      failure =
          new Connector.Failure(
              RpcStatus.INCOMPATIBLE,
              "not every method of "
                  + contract.name()
                  + " can be called: "
                  + String.join("; ", problems));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = new Connector.Failure(RpcStatus.CANCELLED, "the caller was interrupted");
    } catch (TimeoutException e) {
      failure =
          new Connector.Failure(
              RpcStatus.UNAVAILABLE,
              "the server did not send its contract of %s within %d ms"
                  .formatted(contract.name(), TimeUnit.NANOSECONDS.toMillis(limit)));
    } catch (CancellationException | ExecutionException e) {
      failure =
          e.getCause() instanceof RpcException told
              ? new Connector.Failure(told.status(), String.valueOf(told.getMessage()))
              : new Connector.Failure(
                  RpcStatus.UNAVAILABLE, "the session was lost before the contracts were compared");
    }
    throw unreachable(address, failure);
  }

  /**
   * Returns a session without waiting. It connects with its first call. Calls fail with UNAVAILABLE
   * while the server cannot be reached, and each call tries again. With {@link Builder#keepOpen} it
   * connects at once, by itself.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   */
  public Session session(String address) {
    Connector connector = connector(address, link, keepsOpen, false);
    if (keepsOpen) {
      connector.open(failure -> {});
    }
    return connector.session;
  }

  /**
   * Returns a session with one of several servers, for a channel that chooses among them. It does
   * not connect by itself; see {@link #open}. If its server drains or is gone, calls do not wait
   * for the next one. A call that was not sent fails at once with UNAVAILABLE, NOT_EXECUTED, so
   * that the channel can use another server.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @param authority with TLS the name of the host that the server's certificate must contain;
   *     empty for the host of the address
   */
  public Session sessionOfMany(String address, String authority) {
    return connector(address, link.withAuthority(authority), false, true).session;
  }

  /**
   * Connects a session of this client, if it is not connected, without a call and without waiting.
   *
   * @return completes when the session is open. It fails with an {@link RpcException}: UNAVAILABLE
   *     if the server cannot be reached, UNAUTHENTICATED if it refuses the credentials, CANCELLED
   *     if the session is closed. The message is the reason alone, for a caller that names the
   *     server itself. Its callbacks run on the event loop
   */
  public CompletionStage<Void> open(Session session) {
    Connector connector = sessions.get((SessionImpl) session);
    return connector == null
        ? CompletableFuture.failedFuture(notOpened(RpcStatus.CANCELLED, session + " has ended"))
        : opened(
            connector,
            failure -> notOpened(failure.status(), without(connector.address(), failure.reason())));
  }

  private static CompletableFuture<Void> opened(
      Connector connector, Function<Connector.Failure, RpcException> inWords) {
    CompletableFuture<Void> opened = new CompletableFuture<>();
    connector.open(
        failure -> {
          if (failure == null) {
            opened.complete(null);
          } else {
            opened.completeExceptionally(inWords.apply(failure));
          }
        });
    return opened;
  }

  /** Returns a reason without the address with which reasons of links begin. */
  private static String without(String address, String reason) {
    String rest = reason.startsWith(address) ? reason.substring(address.length()) : "";
    if (rest.startsWith(": ")) {
      return rest.substring(2);
    }
    return rest.startsWith(" ") ? rest.substring(1) : reason;
  }

  /** Returns the limits of each session of this client. */
  public SessionLimits limits() {
    return engine.limits();
  }

  /** Returns whether the calling thread runs an event loop, so that it must not wait. */
  public boolean isOnEventLoop() {
    return engine.isOnLoop() || EventLoop.isLoopThread();
  }

  /**
   * Checks the syntax of a server's address, without connecting to it.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @throws IllegalArgumentException if it is malformed, or needs a link that is not on the class
   *     path; the message names the remedy
   */
  public void checkAddress(String address) {
    URI uri = Addresses.parse(Checks.required("address", address));
    engine.checkScheme(uri.getScheme());
  }

  private Connector connector(
      String address, LinkOptions link, boolean keepsOpen, boolean oneOfMany) {
    URI uri = Addresses.parse(Checks.required("address", address));
    if (closed) {
      throw new IllegalStateException("the client is closed: no session with " + address);
    }
    SessionContext context;
    try {
      context = engine.join(uri.getScheme(), link, upgrade);
    } catch (IllegalStateException e) { // the client is open, so this process lacks a resource
      Connector.Failure why =
          new Connector.Failure(RpcStatus.UNAVAILABLE, String.valueOf(e.getMessage()));
      throw unreachable(address, why);
    }
    Connector connector =
        new Connector(
            context,
            (of, role) -> engine.session(of, role, null),
            context.loop().driver()::connect,
            uri,
            token,
            keepsOpen,
            oneOfMany,
            this::ended);
    sessions.put(connector.session, connector);
    if (closed) {
      connector.session.close(); // another thread may have missed this session
    }
    return connector;
  }

  private void ended(Session session) {
    if (sessions.remove((SessionImpl) session) != null) {
      engine.leave((SessionImpl) session);
    }
  }

  private static RpcException unreachable(String address, Connector.Failure failure) {
    RpcStatus status = failure.status();
    return notOpened(
        status, "no session with " + address + ": " + status + ": " + failure.reason());
  }

  static RpcException notOpened(RpcStatus status, String words) {
    return new RpcException(
        status, words, CallPhase.QUEUED, Execution.NOT_EXECUTED, false, null, null);
  }

  /** Returns the figures of the transfers of large objects. */
  public BulkStats bulkStats() {
    return engine.bulk().stats();
  }

  /**
   * Asks the server of an open session for its services, for tools without a contract.
   *
   * @return their names, sorted. It fails with an {@link RpcException} PERMISSION_DENIED if the
   *     server {@linkplain VerbenaServer.Builder#tellContracts does not tell}, and is cancelled if
   *     the session is not open
   */
  public CompletionStage<List<String>> services(Session session) {
    return ((UserSession) session).peerServices();
  }

  /**
   * Asks the server of an open session for the schema of a service, for tools without a contract.
   * The schema comes from a peer: its names are arbitrary texts, and its types may refer to missing
   * types. Callbacks run on the event loop.
   *
   * @return the schema. It fails with an {@link RpcException} UNIMPLEMENTED if the service is not
   *     served, PERMISSION_DENIED if the server {@linkplain VerbenaServer.Builder#tellContracts
   *     does not tell}. It is cancelled if the session is not open, or if the peer is lost before
   *     the answer
   */
  public CompletionStage<Schema> schema(Session session, String service) {
    return ((UserSession) session).peerSchema(Checks.required("service", service));
  }

  /**
   * Returns the costs of moving values over the present path of a session of this client, as far as
   * they have been measured.
   */
  public Costs costs(Session session) {
    return ((SessionImpl) session).pathCosts().costs();
  }

  /** Returns the lengths from which a session of this client moves values in another way. */
  public CutOffs cutOffs(Session session) {
    return ((SessionImpl) session).pathCosts().cutOffs();
  }

  /** Returns the number of message slots in use; 0 when nothing is in progress. */
  public int slotsInUse() {
    return engine.slotsInUse();
  }

  /**
   * Returns the number of streams that this end sends to all peers; 0 when nothing is in progress.
   */
  public int streamsSent() {
    return engine.streamsSent();
  }

  /**
   * Returns the bytes of shared memory that long messages, large values and replies use; 0 when
   * nothing is in progress.
   */
  public long sharedBytesInUse() {
    return engine.sharedBytesInUse();
  }

  /**
   * Ends every session and stops the event loops. Calls in flight fail, and so do later calls. For
   * up to 2 s, one-way calls that were sent before are still delivered. Otherwise it takes
   * milliseconds, or up to 3 s over RDMA if a peer's device does not answer.
   */
  @Override
  public void close() {
    closed = true;
    Stats.forget(stat);
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    boolean onLoop = engine.isStepped() || engine.isOnLoop();
    for (SessionImpl session : sessions.keySet()) {
      if (onLoop) {
        session.closeNow(); // nothing may wait here
      } else {
        closing.add(session.closeInOrder());
      }
    }
    await(closing);
    engine.close();
  }

  private static void await(List<CompletableFuture<Void>> closing) {
    try {
      CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)).get(3, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Their loops do not answer. Closing the loops ends the sessions.
    }
  }

  /** Settings for a client. */
  public static final class Builder extends EngineBuilder<Builder> {
    private @Nullable Supplier<String> token;
    private boolean keepsOpen;

    Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /**
     * Sets the supplier of the token that servers receive. It is called for each connection, on a
     * separate thread, so it may block. After {@link #connectTimeout} it is interrupted. If it
     * returns null, throws or is late, {@code connect} and the waiting calls fail with
     * UNAUTHENTICATED, NOT_EXECUTED. Default: no token.
     */
    public Builder token(Supplier<String> token) {
      this.token = Checks.required("token", token);
      return this;
    }

    /**
     * Lets sessions open without a call. When their server is gone, they open again by themselves:
     * at once, then after 10 ms to 1 s, until they are closed. This serves clients that are called
     * by the server. With a {@link io.verbena.api.SessionListener} such a client subscribes again
     * whenever a session has {@code opened}. Default: a session opens with its next call.
     */
    public Builder keepOpen() {
      this.keepsOpen = true;
      return this;
    }

    /**
     * Makes the client, which does not connect yet.
     *
     * @throws IllegalArgumentException if {@link #compressFromBytes} is set and no compression is
     *     on the class path
     */
    public VerbenaClient build() {
      VerbenaClient client = new VerbenaClient(this);
      if (!client.engine.isStepped()) {
        Stats.add(client.stat);
      }
      return client;
    }
  }
}
