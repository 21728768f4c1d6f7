package io.verbena.core;

import io.verbena.api.Session;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.bulk.BulkStats;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.LoopThread;
import io.verbena.core.session.Acceptor;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.Stats;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  private final Engine engine;
  private final EventLoop loop;
  private final Acceptor acceptor;
  private final LinkDriver.Listening listening;
  private final URI address;
  private final Duration drainTime;
  private final UpgradeOptions upgrade;
  private final Supplier<EngineStat> stat = this::stat;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  private VerbenaServer(
      Engine engine,
      EventLoop loop,
      Acceptor acceptor,
      LinkDriver.Listening listening,
      UpgradeOptions upgrade,
      Duration drainTime) {
    this.engine = engine;
    this.loop = loop;
    this.acceptor = acceptor;
    this.listening = listening;
    this.address = listening.address();
    this.upgrade = upgrade;
    this.drainTime = drainTime;
  }

  private EngineStat stat() {
    return engine.stat(
        "server at " + address, upgrade, OnLoop.ask(loop, acceptor::stats, List.of()));
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns where the server listens, with the port that port 0 became. */
  public URI address() {
    return address;
  }

  /**
   * Publishes an object for every client that is given its reference.
   *
   * @param lease how long it is kept while nobody fetches it; then it is released
   * @throws java.io.UncheckedIOException if a file cannot be opened, or its channel is closed
   * @throws IllegalArgumentException if a file's channel is not open for reading
   */
  public Published publish(Source source, Duration lease) {
    return engine.bulk().publish(loop, source, lease);
  }

  /** Returns what the transfers of large objects did, and hold now. */
  public BulkStats bulkStats() {
    return engine.bulk().stats();
  }

  /** Returns how many message slots are in use: 0 when nothing is under way. */
  public int slotsInUse() {
    return engine.slotsInUse();
  }

  /** Waits until {@link #close} has been called. */
  public void awaitClose() throws InterruptedException {
    try {
      closed.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Stops listening, lets calls under way finish for the drain time, then ends every session. On a
   * stepped loop it ends them at once. Called on the event loop, it returns before that is done.
   */
  @Override
  public void close() {
    Stats.forget(stat);
    if (engine.isStepped()) {
      listening.close();
      acceptor.endAll();
    } else if (loop.isOwner()) {
      LoopThread.inBackground("verbena-server-close", this::close);
      return;
    } else if (!closed.isDone()) {
      CompletableFuture<Void> ended = new CompletableFuture<>();
      loop.execute(() -> drain(loop.clock().nanoTime() + drainTime.toNanos(), ended));
      try {
        ended.get(drainTime.toMillis() + 5_000, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException e) {
        LOG.warn("The server at {} did not shut down in order", address, e);
      }
    }
    engine.close();
    closed.complete(null);
  }

  private void drain(long until, CompletableFuture<Void> ended) {
    listening.close();
    acceptor.drain();
    drainStep(until, ended);
  }

  private void drainStep(long until, CompletableFuture<Void> ended) {
    if (acceptor.isIdle() || loop.now() - until >= 0) {
      acceptor.endAll();
      // Ending a session is a command of its own: this one runs behind them.
      loop.execute(() -> ended.complete(null));
    } else {
      long next = loop.now() + DRAIN_STEP.toNanos();
      loop.timers().schedule(next, now -> drainStep(until, ended));
    }
  }

  /** Settings for a server. */
  public static final class Builder extends EngineBuilder<Builder> {
    private String address = "0.0.0.0:0";
    private final List<ServiceBinding> services = new ArrayList<>();
    private @Nullable Authenticator authenticator;
    private RandomGenerator random = new SecureRandom();
    private Consumer<Session> onSession = session -> {};
    private Duration drainTime = Duration.ofSeconds(5);
    private int maxSessions = 10_000;

    Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /** Sets where to listen: {@code host:port}, {@code tcp://host:port} or {@code mem://name}. */
    public Builder listen(String address) {
      this.address = Objects.requireNonNull(address);
      return this;
    }

    /** Serves a contract to every client, as {@code serve(GreeterRpc.bind(new MyGreeter()))}. */
    public Builder serve(ServiceBinding binding) {
      services.add(Objects.requireNonNull(binding));
      return this;
    }

    /** Requires every client to prove who it is. */
    public Builder authenticator(Authenticator authenticator) {
      this.authenticator = Objects.requireNonNull(authenticator);
      return this;
    }

    /** Is told of every new session, on the event loop: do not block there. */
    public Builder onSession(Consumer<Session> listener) {
      this.onSession = Objects.requireNonNull(listener);
      return this;
    }

    /**
     * Sets how many sessions there may be at once; further clients are refused with UNAVAILABLE.
     * Default: 10,000. A session whose client vanished counts until its resume window is over.
     */
    public Builder maxSessions(int sessions) {
      if (sessions < 1) {
        throw new IllegalArgumentException("maxSessions is at least 1, not " + sessions);
      }
      this.maxSessions = sessions;
      return this;
    }

    /**
     * Sets how long {@link VerbenaServer#close} waits for calls under way. Default: 5 s.
     *
     * @throws IllegalArgumentException if it is negative or more than a day
     */
    public Builder drainTime(Duration drainTime) {
      if (drainTime.isNegative() || drainTime.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException("drainTime is 0 to a day, not " + drainTime);
      }
      this.drainTime = drainTime;
      return this;
    }

    /** Replaces the source of session ids and secrets; for simulations only. */
    public Builder random(RandomGenerator random) {
      this.random = Objects.requireNonNull(random);
      return this;
    }

    /**
     * Starts listening.
     *
     * @throws IllegalStateException if the address cannot be listened at; the message says why
     */
    public VerbenaServer start() {
      URI uri = Addresses.parse(address);
      Engine engine = engine("server");
      boolean started = false;
      try {
        SessionContext context = engine.context(uri.getScheme(), linkOptions(), upgradeOptions());
        Acceptor acceptor = new Acceptor(context, maxSessions, authenticator, random, onSession);
        services.forEach(acceptor::serve);
        LinkDriver.Listening listening =
            listen(engine, context.loop(), uri, context.link(), acceptor);
        VerbenaServer server =
            new VerbenaServer(
                engine, context.loop(), acceptor, listening, context.upgrade(), drainTime);
        if (!engine.isStepped()) {
          Stats.add(server.stat);
        }
        started = true;
        return server;
      } finally {
        if (!started) {
          engine.close();
        }
      }
    }

    private static LinkDriver.Listening listen(
        Engine engine, EventLoop loop, URI uri, LinkOptions link, Acceptor acceptor) {
      try {
        if (engine.isStepped()) {
          return loop.driver().listen(uri, link, acceptor);
        }
        CompletableFuture<LinkDriver.Listening> listening = new CompletableFuture<>();
        loop.execute(
            () -> {
              try {
                listening.complete(loop.driver().listen(uri, link, acceptor));
              } catch (LinkException | RuntimeException e) {
                listening.completeExceptionally(e);
              }
            });
        return listening.get();
      } catch (LinkException e) {
        throw new IllegalStateException(e.getMessage(), e);
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        throw new IllegalStateException(cause.getMessage(), cause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while starting to listen at " + uri, e);
      }
    }
  }
}
