package io.verbena.core;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.bulk.BulkStats;
import io.verbena.core.bulk.Costs;
import io.verbena.core.bulk.CutOffs;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.session.Connector;
import io.verbena.core.session.ConnectorConfig;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.SessionCore;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.SessionStat;
import io.verbena.core.stat.Stats;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

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
  private final Engine engine;
  private final LinkOptions link;
  private final UpgradeOptions upgrade;
  private final Supplier<String> token;
  private final Set<SessionCore> sessions = ConcurrentHashMap.newKeySet();
  private final Supplier<EngineStat> stat = this::stat;
  private volatile boolean closed;

  private VerbenaClient(Builder builder) {
    this.engine = builder.engine("client");
    this.link = builder.linkOptions();
    this.upgrade = builder.upgradeOptions();
    this.token = builder.token;
  }

  private EngineStat stat() {
    List<SessionStat> all = new ArrayList<>();
    for (SessionCore session : sessions) {
      all.add(OnLoop.ask(session.loop(), session::stat, session.silentStat()));
    }
    return engine.stat("client", upgrade, all);
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
   *     the credentials
   */
  public Session connect(String address) {
    if (engine.isStepped()) {
      throw new IllegalStateException("a stepped client cannot wait; use session(address)");
    }
    Connector connector = connector(address);
    if (connector.isOnItsLoop()) {
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
      opened.get();
      return connector.session();
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
   * Returns a session that connects when it is first used, without waiting. Calls on it fail with
   * UNAVAILABLE while the server cannot be reached, and each call tries anew.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   */
  public Session session(String address) {
    return connector(address).session();
  }

  private Connector connector(String address) {
    URI uri = Addresses.parse(address);
    if (closed) {
      throw new IllegalStateException("the client is closed: no session with " + address);
    }
    SessionContext context = engine.context(uri.getScheme(), link, upgrade);
    Connector connector =
        new Connector(context, new ConnectorConfig(uri, link, token, sessions::remove));
    sessions.add(connector.core());
    if (closed) {
      connector.session().close(); // by another thread, which may not have seen this session
    }
    return connector;
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
   * Measures what moving values costs over the path that a session of this client has now. Calls go
   * on meanwhile, and make the measured round trip longer.
   *
   * @return the costs; never, if the path is lost meanwhile
   */
  public CompletionStage<Costs> measure(Session session) {
    return ((SessionCore) session).pathCosts().measure();
  }

  /** Returns from which lengths on values take which way over a session of this client. */
  public CutOffs cutOffs(Session session) {
    return ((SessionCore) session).cutOffs();
  }

  /** Returns how many message slots are in use: 0 when nothing is under way. */
  public int slotsInUse() {
    return engine.slotsInUse();
  }

  /**
   * Ends every session and stops the event loops. Calls in flight fail, and so do later ones. Takes
   * milliseconds, or up to 3 s over RDMA where a peer's device does not answer.
   */
  @Override
  public void close() {
    closed = true;
    Stats.forget(stat);
    sessions.forEach(Session::close);
    engine.close();
  }

  /** Settings for a client. */
  public static final class Builder extends EngineBuilder<Builder> {
    private Supplier<String> token = () -> "";

    Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /** Sets the credentials that servers are shown, asked for anew with each connection. */
    public Builder token(Supplier<String> token) {
      this.token = Objects.requireNonNull(token);
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
