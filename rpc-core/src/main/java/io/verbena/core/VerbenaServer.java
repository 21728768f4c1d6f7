package io.verbena.core;

import io.verbena.api.Session;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.call.Admission;
import io.verbena.core.contract.LocalServices;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.Acceptors;
import io.verbena.core.session.SessionAcceptor;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.SessionStat;
import io.verbena.core.stat.Stats;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.runtime.OwnThreads;
import io.verbena.link.runtime.Thrown;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves contracts at an address. Safe for use by any thread.
 *
 * <pre>{@code
 * try (VerbenaServer server =
 *     VerbenaServer.builder().listen("0.0.0.0:7400").serve(GreeterRpc.bind(new MyGreeter())).start()) {
 *   server.awaitClose();
 * }
 * }</pre>
 */
public final class VerbenaServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VerbenaServer.class);
  private static final Duration DRAIN_STEP = Duration.ofMillis(10);
  private static final Duration BEFORE_DRAIN = Duration.ofSeconds(2);
  private static final int LISTEN_SECONDS = 30;

  private final Engine engine;
  private final Acceptors acceptors;
  private final LinkDriver.Listening listening;
  private final URI address;
  private final Duration drainTime;
  private final UpgradeOptions upgrade;
  private final @Nullable Admission admission;
  private final @Nullable Gateway gateway;
  private final Supplier<EngineStat> stat = this::stat;
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final @Nullable Thread hook;

  private final AtomicBoolean draining = new AtomicBoolean();
  private final List<Supplier<? extends CompletionStage<Void>>> beforeDrain =
      new CopyOnWriteArrayList<>();

  private VerbenaServer(
      Engine engine,
      Acceptors acceptors,
      LinkDriver.Listening listening,
      UpgradeOptions upgrade,
      @Nullable Admission admission,
      @Nullable Gateway gateway,
      Duration drainTime,
      boolean closesOnShutdown) {
    this.engine = engine;
    this.acceptors = acceptors;
    this.listening = listening;
    this.address = listening.address();
    this.upgrade = upgrade;
    this.admission = admission;
    this.gateway = gateway;
    this.drainTime = drainTime;
    this.hook = closesOnShutdown ? closesBeforeTheProcessEnds() : null;
  }

  /** Returns the shutdown hook; null if the process is ending already. */
  private @Nullable Thread closesBeforeTheProcessEnds() {
    Thread made = new Thread(this::close, "verbena-shutdown");
    try {
      Runtime.getRuntime().addShutdownHook(made);
      return made;
    } catch (IllegalStateException e) {
      return null;
    }
  }

  private void removeHook() {
    if (hook != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process ends, perhaps by this thread.
      }
    }
  }

  private EngineStat stat() {
    List<SessionStat> sessions = new ArrayList<>();
    for (SessionAcceptor one : acceptors.all()) {
      sessions.addAll(Engine.ask(one.context.loop(), one::stats, List.of()));
    }
    return engine.stat("server at " + address, upgrade, admission, sessions);
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the address at which the server listens, with the real port if port 0 was set. It has
   * the host as it was set, or the literal address if a URI cannot hold that name, as {@code
   * store_1}.
   */
  public URI address() {
    return address;
  }

  /**
   * Publishes an object. Every client that has the reference may fetch it.
   *
   * @param lease the time for which the object is kept while no client fetches it; then it is
   *     released
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading
   */
  public Published publish(Source source, Duration lease) {
    return engine.bulk().shelf().publish(acceptors.first().context.loop(), null, source, lease);
  }

  /**
   * Publishes an object under a name for every client. Its reference is {@link
   * io.verbena.api.bulk.ObjectRef#named}, and stays valid when the server restarts and publishes it
   * again. See {@link io.verbena.api.bulk.BulkObjects#publish(String, Source, Duration)}. {@link
   * Builder#publish} publishes before the first client can connect.
   *
   * @param lease the time for which the object is kept while no client fetches it; then it is
   *     released
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading
   * @throws IllegalStateException if an object of this name is published already
   */
  public Published publish(String name, Source source, Duration lease) {
    Checks.required("name", name);
    return engine.bulk().shelf().publish(acceptors.first().context.loop(), name, source, lease);
  }

  /** Returns the figures of the transfers of large objects. */
  public BulkStats bulkStats() {
    return engine.bulk().stats();
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
   * Waits until {@link #close} has finished.
   *
   * @throws InterruptedException if the waiting thread was interrupted
   * @throws IllegalStateException on an event loop, which would stop
   */
  public void awaitClose() throws InterruptedException {
    if (EventLoop.isLoopThread()) {
      throw new IllegalStateException(
          "awaitClose was called on an event loop, by a nonBlocking handler or a callback of an"
              + " async call, and it would wait. Call it on the thread that started the server.");
    }
    try {
      closed.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Adds an action that starts when the server begins to drain, while it still accepts calls. It
   * may remove the server from a registry, so that no new clients come. The server waits for its
   * stage, at most 2 s, and then drains even if the action failed. Does nothing if the server
   * drains already.
   *
   * @param action begins the work, returns its stage, and must not block. It runs on the thread
   *     that drains or closes the server
   */
  public void beforeDrain(Supplier<? extends CompletionStage<Void>> action) {
    beforeDrain.add(Checks.required("beforeDrain", action));
  }

  /**
   * Stops accepting calls and lets running calls end. Returns at once. Sessions stay open until
   * {@link #close}.
   *
   * <p>Clients are notified and keep unsent calls for the next server. Calls that still arrive, new
   * sessions and new transfers are refused with UNAVAILABLE, NOT_EXECUTED. Sessions that have lost
   * their connection may resume and receive their results.
   *
   * @return completes when every running call has ended, every result has arrived at its caller and
   *     no object is in transfer, or when the drain time is over
   */
  public CompletionStage<Void> drain() {
    if (draining.compareAndSet(false, true)) {
      CompletableFuture.allOf(
              beforeDrain.stream().map(this::begun).toArray(CompletableFuture[]::new))
          .completeOnTimeout(null, BEFORE_DRAIN.toMillis(), TimeUnit.MILLISECONDS)
          .thenRun(this::drainNow);
    }
    return drained.minimalCompletionStage();
  }

  private CompletableFuture<Void> begun(Supplier<? extends CompletionStage<Void>> action) {
    return CompletableFuture.completedFuture(action)
        .thenCompose(Supplier::get)
        .exceptionally(
            failure -> {
              LOG.warn("An action before the drain of the server at {} failed", address, failure);
              return null;
            });
  }

  private void drainNow() {
    String reason = "the server is shutting down";
    acceptors.refuseNew(reason);
    if (gateway != null) {
      gateway.drain();
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (SessionAcceptor one : acceptors.all()) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      all.add(done);
      EventLoop loop = one.context.loop();
      loop.execute(
          () -> {
            one.drain(reason);
            drainStep(one, loop.now() + drainTime.toNanos(), done);
          });
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenRun(() -> drained.complete(null));
  }

  private void drainStep(SessionAcceptor acceptor, long until, CompletableFuture<Void> done) {
    EventLoop loop = acceptor.context.loop();
    if (acceptor.isDrained()) {
      done.complete(null);
    } else if (loop.now() - until >= 0) {
      LOG.warn(
          "The server at {} waits no longer than {}: it cancels calls that still run, and leaves"
              + " clients that do not answer",
          address,
          drainTime);
      done.complete(null);
    } else {
      long next = Math.min(until, loop.now() + DRAIN_STEP.toNanos());
      loop.timers().schedule(next, now -> drainStep(acceptor, until, done));
    }
  }

  /**
   * Stops listening, and frees the port. Open sessions stay, but a session whose connection is lost
   * cannot resume any more. Waits until the port is free, at most 5 s; on an event loop it does not
   * wait.
   */
  public void stopListening() {
    EventLoop loop = acceptors.first().context.loop();
    if (loop.isOwner()) {
      listening.close();
      return;
    }
    CompletableFuture<Void> free = new CompletableFuture<>();
    loop.execute(
        () -> {
          listening.close();
          free.complete(null);
        });
    if (!loop.isNotToWait()) {
      inTime(free, 5_000);
    }
  }

  /**
   * {@linkplain #drain Drains} the server, then ends every session and stops listening. No result
   * of a call that ends within the drain time is lost. On a stepped loop it ends sessions at once.
   * On the event loop, or in a handler of this server, it returns before the server is closed,
   * because it would wait for itself. A second call waits for the first.
   */
  @Override
  public void close() {
    Stats.forget(stat);
    if (engine.isStepped()) {
      listening.close();
      closeGateway();
      acceptors.all().forEach(SessionAcceptor::endAll);
      engine.close();
      closed.complete(null);
    } else if (engine.isOnLoop() || engine.isInHandler()) {
      OwnThreads.background(
          "verbena-server-close",
          this::close,
          failure -> LOG.error("The server at {} could not be closed", address, failure));
    } else if (closing.compareAndSet(false, true)) {
      inTime(drain().toCompletableFuture(), drainTime.toMillis() + 5_000);
      acceptors.first().context.loop().execute(listening::close);
      inTime(
          CompletableFuture.allOf(
              acceptors.all().stream()
                  .map(VerbenaServer::endAll)
                  .toArray(CompletableFuture[]::new)),
          5_000);
      closeGateway(); // its clients must first receive the outcome of the calls that were ended
      engine.close();
      closed.complete(null);
      removeHook();
    } else {
      inTime(closed, drainTime.toMillis() + 15_000);
    }
  }

  private void closeGateway() {
    if (gateway != null) {
      gateway.close();
    }
  }

  private static CompletableFuture<Void> endAll(SessionAcceptor acceptor) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    EventLoop loop = acceptor.context.loop();
    loop.execute(
        () -> {
          acceptor.endAll();
          // Ending a session is a separate command, so this one runs after them.
          loop.execute(() -> ended.complete(null));
        });
    return ended;
  }

  private void inTime(CompletableFuture<Void> step, long millis) {
    try {
      step.get(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      LOG.warn("The server at {} did not shut down in order within {} ms", address, millis);
    } catch (ExecutionException e) {
      LOG.warn("The server at {} did not shut down in order", address, e);
    }
  }

  /** Settings for a server. */
  public static final class Builder extends EngineBuilder<Builder> {
    private @Nullable String address;
    private final List<ServiceBinding> services = new ArrayList<>();
    private final List<Offered> published = new ArrayList<>();
    private @Nullable ClientAuthenticator authenticator;
    private @Nullable Boolean tellsContracts;
    private RandomGenerator random = new SecureRandom();
    private Consumer<Session> onSession = session -> {};
    private Duration drainTime = Duration.ofSeconds(5);
    private boolean closesOnShutdown;
    private @Nullable Gateway gateway;
    private int maxSessions = 10_000;
    private @Nullable ConcurrencyLimit concurrencyLimit;

    private record Offered(String name, Source source, Duration lease) {}

    Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /**
     * Sets the address to listen at: {@code host:port}, {@code tcp://host:port} or {@code
     * mem://name}. Host 0.0.0.0 stands for every address of this machine, port 0 for any free port.
     * There is no default.
     */
    public Builder listen(String address) {
      this.address = Checks.required("listen", address);
      return this;
    }

    /** Serves a contract to every client, as in {@code serve(GreeterRpc.bind(new MyGreeter()))}. */
    public Builder serve(ServiceBinding binding) {
      services.add(Checks.required("serve", binding));
      return this;
    }

    /**
     * Publishes an object under a name before the server listens, as {@link
     * VerbenaServer#publish(String, Source, Duration)} does later. {@link #start} opens the file,
     * if it is one, and fails if it cannot.
     *
     * @param lease the time for which the object is kept while no client fetches it; then it is
     *     released
     */
    public Builder publish(String name, Source source, Duration lease) {
      published.add(
          new Offered(
              Checks.required("name", name),
              Checks.required("source", source),
              Checks.positive("lease", lease)));
      return this;
    }

    /** Requires every client to prove its identity. */
    public Builder authenticator(ClientAuthenticator authenticator) {
      this.authenticator = Checks.required("authenticator", authenticator);
      return this;
    }

    /**
     * Sets whether clients without a contract may read the server's services, methods and types, as
     * {@code verbena call} does. A client with a contract always learns which of its methods the
     * server has. Default: true, or false with an {@link #authenticator}.
     */
    public Builder tellContracts(boolean tell) {
      this.tellsContracts = tell;
      return this;
    }

    /**
     * Sets a listener that receives every new session. It runs on the session's event loop and must
     * not block. Several loops may call it at once.
     */
    public Builder onSession(Consumer<Session> listener) {
      this.onSession = Checks.required("onSession", listener);
      return this;
    }

    /**
     * Sets the largest number of sessions at once. Further clients are refused with UNAVAILABLE. A
     * session whose client has vanished counts until its resume window is over. Default: 10,000.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder maxSessions(int sessions) {
      this.maxSessions = Checks.between("maxSessions", sessions, 1, Integer.MAX_VALUE);
      return this;
    }

    /**
     * Sets a limit of concurrent calls that follows their latency. The server refuses calls beyond
     * it, those of low {@link io.verbena.api.Priority} first. Default: no limit, so every call
     * runs.
     */
    public Builder concurrencyLimit(ConcurrencyLimit limit) {
      this.concurrencyLimit = Checks.required("concurrencyLimit", limit);
      return this;
    }

    /**
     * Adds a gateway, so that clients of another protocol can call the services at the same port.
     * An example is {@code new HttpGateway()} of {@code io.verbena:http-gateway}. Its clients are
     * authenticated as others are. The server must listen at a TCP address. Default: none.
     */
    public Builder gateway(Gateway gateway) {
      this.gateway = Checks.required("gateway", gateway);
      return this;
    }

    /**
     * {@linkplain VerbenaServer#close Closes} the server when the process is asked to end, by
     * SIGTERM, SIGINT or {@code System.exit}. No result of a call that ends within the drain time
     * is lost. The process ends after the server is closed.
     */
    public Builder closeOnShutdown() {
      this.closesOnShutdown = true;
      return this;
    }

    /**
     * Sets the longest time for which {@link VerbenaServer#close} and {@link VerbenaServer#drain}
     * wait for running calls and transfers, and for their results to arrive. Calls that still run
     * afterwards are cancelled, and their callers receive UNAVAILABLE. Default: 5 s.
     *
     * @throws IllegalArgumentException if it is negative or more than a day
     */
    public Builder drainTime(Duration drainTime) {
      this.drainTime =
          Checks.between("drainTime", drainTime, Duration.ZERO, Duration.ofDays(1), "0 to a day");
      return this;
    }

    /** Replaces the source of session ids and secrets. For simulations only. */
    public Builder random(RandomGenerator random) {
      this.random = Checks.required("random", random);
      return this;
    }

    /**
     * Starts the server.
     *
     * @throws IllegalStateException if no address was set, or if the server cannot listen there;
     *     the message gives the reason
     * @throws IllegalArgumentException if the address is malformed
     * @throws java.io.UncheckedIOException if a published file cannot be opened
     */
    public VerbenaServer start() {
      URI uri = Addresses.parse(listensAt());
      Engine engine = engine("server");
      boolean started = false;
      @Nullable Gateway begun = null;
      try {
        LinkOptions link = linkOptions();
        UpgradeOptions upgrade = upgradeOptions();
        boolean tells = tellsContracts == null ? authenticator == null : tellsContracts;
        LocalServices served = new LocalServices();
        services.forEach(served::add);
        List<SessionContext> contexts = engine.all(uri.getScheme(), link, upgrade);
        Admission admission =
            concurrencyLimit == null
                ? null
                : new Admission(concurrencyLimit, contexts.getFirst().loop().clock());
        Acceptors acceptors =
            new Acceptors(
                contexts,
                (context, role) -> engine.session(context, role, admission).serving(served, tells),
                maxSessions,
                authenticator,
                tells,
                random,
                onSession);
        EventLoop first = acceptors.first().context.loop();
        for (Offered one : published) {
          engine.bulk().shelf().publish(first, one.name, one.source, one.lease);
        }
        LinkOptions speaking = speaking(link, uri, acceptors);
        begun = gateway;
        LinkDriver.Listening listening = listen(engine, uri, speaking, acceptors);
        VerbenaServer server =
            new VerbenaServer(
                engine,
                acceptors,
                listening,
                upgrade,
                admission,
                gateway,
                drainTime,
                closesOnShutdown);
        if (!engine.isStepped()) {
          Stats.add(server.stat);
        }
        if (link.tls() == null && authenticator == null && isOpenToOthers(server.address)) {
          LOG.warn(
              "Every client that reaches {} may call: the server has neither TLS nor an"
                  + " authenticator. Set tls(…) or authenticator(…), or listen at a loopback"
                  + " address",
              server.address);
        }
        started = true;
        return server;
      } finally {
        if (!started) {
          if (begun != null) {
            begun.close();
          }
          engine.close();
        }
      }
    }

    private LinkOptions speaking(LinkOptions link, URI at, Acceptors acceptors) {
      Gateway begins = gateway;
      if (begins == null) {
        return link;
      }
      if (!"tcp".equals(at.getScheme())) {
        throw new IllegalStateException(
            "a gateway is reached at a TCP port, not at " + at + ": listen at host:port");
      }
      List<ServiceDescriptor<?>> contracts =
          services.stream().<ServiceDescriptor<?>>map(ServiceBinding::service).toList();
      return link.withProtocol(begins.start(new LocalSessions(acceptors, contracts, at)));
    }

    private static boolean isOpenToOthers(URI address) {
      try {
        return "tcp".equals(address.getScheme())
            && !InetAddress.getByName(address.getHost()).isLoopbackAddress();
      } catch (UnknownHostException e) {
        return true;
      }
    }

    private String listensAt() {
      if (address == null) {
        throw new IllegalStateException(
            "no address to listen at: set listen(\"host:port\"), such as \"127.0.0.1:0\" for this"
                + " machine alone, or \"0.0.0.0:7400\" for all of its addresses");
      }
      return address;
    }

    private static LinkDriver.Listening listen(
        Engine engine, URI uri, LinkOptions link, Acceptors acceptors) {
      EventLoop loop = acceptors.first().context.loop();
      try {
        if (engine.isStepped()) {
          return loop.driver().listen(uri, link, acceptors::greet);
        }
        CompletableFuture<LinkDriver.Listening> listening = new CompletableFuture<>();
        loop.execute(
            () -> {
              try {
                listening.complete(loop.driver().listen(uri, link, acceptors::greet));
              } catch (Throwable e) {
                listening.completeExceptionally(e);
              }
            });
        return listening.get(LISTEN_SECONDS, TimeUnit.SECONDS);
      } catch (LinkException e) {
        throw new IllegalStateException(e.getMessage(), e);
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        String why =
            cause instanceof LinkException
                ? cause.getMessage()
                : "cannot listen on %s: %s".formatted(uri, Thrown.fullWords(cause));
        throw new IllegalStateException(why, cause);
      } catch (TimeoutException e) {
        throw new IllegalStateException(
            "the event loop did not listen at %s within %d s".formatted(uri, LISTEN_SECONDS), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while starting to listen at " + uri, e);
      }
    }
  }
}
