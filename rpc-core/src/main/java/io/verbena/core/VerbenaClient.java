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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes sessions to servers. One client serves a whole program: its sessions share event loops and
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
  /** Opening takes a token, a connection, and twice as long for an upgrade; a loop ends it then. */
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
   * Opens a session and waits until it is open.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @throws RpcException UNAVAILABLE if the server cannot be reached, UNAUTHENTICATED if it refuses
   *     the credentials, or one end the other's certificate
   * @throws IllegalArgumentException if the address is malformed
   */
  public Session connect(String address) {
    if (engine.isStepped()) {
      throw new IllegalStateException("a stepped client cannot wait; use session(address)");
    }
    Connector connector = connector(address, link, keepsOpen, false);
    if (connector.isOnALoop()) {
      connector.session().close();
      throw new IllegalStateException(
          "connect was called on the event loop, by a nonBlocking handler or a callback of an async"
              + " call, and waits. Use session(address) there.");
    }
    CompletableFuture<Void> opened = new CompletableFuture<>();
    connector.openFromAnyThread(
        failure -> {
          if (failure == null) {
            opened.complete(null);
          } else {
            opened.completeExceptionally(unreachable(address, failure));
          }
        });
    try {
      opened.get(
          link.connectTimeout().multipliedBy(4).plus(LOOP_PATIENCE).toNanos(),
          TimeUnit.NANOSECONDS);
      return connector.session();
    } catch (TimeoutException e) {
      connector.session().close();
      throw unreachable(
          address,
          new Connector.Failure(
              RpcStatus.UNAVAILABLE,
              "the event loop does not answer: a nonBlocking handler or a callback of an async call"
                  + " holds it up"));
    } catch (InterruptedException e) {
      connector.session().close();
      Thread.currentThread().interrupt();
      throw unreachable(
          address, new Connector.Failure(RpcStatus.CANCELLED, "the caller was interrupted"));
    } catch (ExecutionException e) {
      connector.session().close();
      if (e.getCause() instanceof RpcException failure) {
        failure.fillInStackTrace();
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Opens a session to a server that serves these contracts, as {@code connect("host:7400",
   * StoreRpc.SERVICE)}: waits until each of their methods is known to be there in a shape that
   * fits. Without them, what does not fit fails each call of a method that it touches. A session
   * that opens anew later, with another version of the server, is not looked at again.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @throws RpcException UNIMPLEMENTED if a contract is not served there; INCOMPATIBLE if a method
   *     of one that is cannot be called, which names all that is in the way; UNAVAILABLE if the
   *     server cannot be reached, UNAUTHENTICATED if it refuses the credentials
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
              "the server did not tell its contract of %s within %d ms"
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
   * Returns a session that connects when it is first used, without waiting. Calls on it fail with
   * UNAVAILABLE while the server cannot be reached, and each call tries anew. With {@link
   * Builder#keepOpen} it connects by itself.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   */
  public Session session(String address) {
    Connector connector = connector(address, link, keepsOpen, false);
    if (keepsOpen) {
      connector.openFromAnyThread(failure -> {});
    }
    return connector.session();
  }

  /**
   * Returns a session with one of several servers that a call may go to, for what chooses among
   * them. It does not connect by itself: see {@link #open}. Calls on it do not wait for the next
   * server where this one drains or is gone: what has not left fails at once with UNAVAILABLE,
   * NOT_EXECUTED, and may go to another.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @param authority with TLS, the host's name that the server's certificate must have; empty for
   *     the host of the address
   */
  public Session sessionOfMany(String address, String authority) {
    return connector(address, link.to(authority), false, true).session();
  }

  /**
   * Connects a session of this client, where it is not, without a call to make and without waiting.
   *
   * @return completes when the session is open; fails with an {@link RpcException}: UNAVAILABLE if
   *     the server cannot be reached, UNAUTHENTICATED if it refuses the credentials, CANCELLED if
   *     the session is closed. Its callbacks run on the event loop
   */
  public CompletionStage<Void> open(Session session) {
    Connector connector = sessions.get((SessionImpl) session);
    CompletableFuture<Void> opened = new CompletableFuture<>();
    if (connector == null) {
      Connector.Failure ended = new Connector.Failure(RpcStatus.CANCELLED, "it has ended");
      opened.completeExceptionally(unreachable(session.toString(), ended));
    } else {
      connector.openFromAnyThread(
          failure -> {
            if (failure == null) {
              opened.complete(null);
            } else {
              opened.completeExceptionally(unreachable(connector.address(), failure));
            }
          });
    }
    return opened;
  }

  /** Returns the limits of each of its sessions. */
  public SessionLimits limits() {
    return engine.limits();
  }

  /** Returns whether the calling thread runs an event loop, where nothing may wait. */
  public boolean isOnEventLoop() {
    return engine.isOnLoop() || EventLoop.isLoopThread();
  }

  /**
   * Checks how the address of a server is written, without connecting to it.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @throws IllegalArgumentException if it is malformed, or of a kind of link that is not on the
   *     class path; the message says what to write
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
    } catch (IllegalStateException e) { // of a client that is open: this process lacks something
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
    sessions.put(connector.session(), connector);
    if (closed) {
      connector.session().close(); // by another thread, which may not have seen this session
    }
    return connector;
  }

  private void ended(Session session) {
    if (sessions.remove((SessionImpl) session) != null) {
      engine.leave((SessionImpl) session);
    }
  }

  private static RpcException unreachable(String address, Connector.Failure failure) {
    return new RpcException(
        failure.status(),
        "no session with " + address + ": " + failure.status() + ": " + failure.reason(),
        CallPhase.QUEUED,
        Execution.NOT_EXECUTED,
        false,
        null,
        null);
  }

  /** Returns what the transfers of large objects did, and hold now. */
  public BulkStats bulkStats() {
    return engine.bulk().stats();
  }

  /**
   * Finds out which services the server of an open session serves, for tools that know no contract.
   *
   * @return their names, sorted; fails with an {@link RpcException} PERMISSION_DENIED where the
   *     server {@linkplain VerbenaServer.Builder#tellContracts does not tell}; cancelled if the
   *     session is not open
   */
  public CompletionStage<List<String>> services(Session session) {
    return ((UserSession) session).peerServices();
  }

  /**
   * Asks the server of an open session for what its contract of a service says on the wire, for
   * tools that know no contract. It comes from a peer: its names are any text, and its types may
   * refer to what is not there. Callbacks run on the event loop.
   *
   * @return the schema; fails with an {@link RpcException} UNIMPLEMENTED where the service is not
   *     served, PERMISSION_DENIED where the server {@linkplain VerbenaServer.Builder#tellContracts
   *     does not tell}; cancelled if the session is not open, or its peer is lost before the answer
   */
  public CompletionStage<Schema> schema(Session session, String service) {
    return ((UserSession) session).peerSchema(Checks.required("service", service));
  }

  /**
   * Returns what moving values costs over the path that a session of this client has now, as far as
   * the session has measured it.
   */
  public Costs costs(Session session) {
    return ((SessionImpl) session).pathCosts().costs();
  }

  /** Returns from which lengths on values take which way over a session of this client. */
  public CutOffs cutOffs(Session session) {
    return ((SessionImpl) session).cutOffs();
  }

  /** Returns how many message slots are in use: 0 when nothing is under way. */
  public int slotsInUse() {
    return engine.slotsInUse();
  }

  /** Returns how many streams this end sends, to all peers: 0 when nothing is under way. */
  public int streamsSent() {
    return engine.streamsSent();
  }

  /**
   * Returns how many bytes long messages, large values and replies have of the memory that all
   * sessions share: 0 when nothing is under way.
   */
  public long sharedBytesInUse() {
    return engine.sharedBytesInUse();
  }

  /**
   * Ends every session and stops the event loops. Calls in flight fail, and so do later ones;
   * one-way calls that were sent before arrive first, for up to 2 s. Takes milliseconds else, or up
   * to 3 s over RDMA where a peer's device does not answer.
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
      // Their loops do not answer: closing those ends them.
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
     * Sets the credentials that servers are shown, asked for anew with each connection. It is asked
     * on a thread of its own, so that it may block, for as long as {@link #connectTimeout}; then it
     * is interrupted. Null, an exception and an answer that is late fail {@code connect} and the
     * calls that wait with UNAUTHENTICATED, NOT_EXECUTED. Default: none are shown.
     */
    public Builder token(Supplier<String> token) {
      this.token = Checks.required("token", token);
      return this;
    }

    /**
     * Has sessions open without a call to make, and again by themselves when their server is gone:
     * at once, then after 10 ms to 1 s, until they are closed. For clients that are called rather
     * than call: with a {@link io.verbena.api.SessionListener} they ask anew to be called whenever
     * a session has {@code opened}. Default: a session whose server is gone opens with the next
     * call.
     */
    public Builder keepOpen() {
      this.keepsOpen = true;
      return this;
    }

    /** Makes the client. It connects to nothing yet. */
    public VerbenaClient build() {
      VerbenaClient client = new VerbenaClient(this);
      if (!client.engine.isStepped()) {
        Stats.add(client.stat);
      }
      return client;
    }
  }
}
