package io.verbena.spark;

import com.codahale.metrics.MetricRegistry;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.SessionState;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.spark.ShuffleBlocks.Wanted;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.spark.util.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's end of the shuffle: the server of its blocks, and its sessions to other executors.
 * Safe for use by any thread.
 */
final class ShuffleExchange implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleExchange.class);

  /** Fetches are ended by their lack of progress. */
  private static final Duration ENDLESS = Duration.ofDays(365);

  /** How long a fetch waits for memory while blocks are there and no task consumes any. */
  private static final Duration PATIENCE = Duration.ofMillis(200);

  private static final AtomicReference<@Nullable ShuffleExchange> CURRENT = new AtomicReference<>();

  private final VerbenaServer server;
  private final VerbenaClient client;
  private final Function<String, @Nullable String> addresses;
  private final long memoryBytes;
  private final Duration stall;
  private final FetchBudget budget;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("verbena-spark-stalls").factory());
  private final ExecutorService finishers = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private final AtomicLong fetchedBytes = new AtomicLong();
  private final AtomicLong failedFetches = new AtomicLong();

  /** Another executor, with the session to it. */
  record Peer(String executor, Session session, ShuffleBlocksRpc.Async blocks) {}

  /**
   * @param addresses finds the address of an executor; null if that executor serves no blocks here
   */
  private ShuffleExchange(
      VerbenaServer server,
      VerbenaClient client,
      VerbenaSettings settings,
      Function<String, @Nullable String> addresses) {
    this.memoryBytes = settings.memoryBytes();
    this.budget =
        new FetchBudget(
            settings.requests(),
            settings.requestBytes(),
            CompletableFuture.delayedExecutor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
    this.stall = settings.stall();
    this.server = server;
    this.client = client;
    this.addresses = addresses;
  }

  /**
   * Starts the exchange of this process, which {@link #current} returns until it is closed.
   *
   * @param server serves this executor's blocks, over any path that it is given
   * @param client fetches blocks likewise
   */
  static ShuffleExchange start(
      VerbenaServer.Builder server,
      VerbenaClient.Builder client,
      VerbenaSettings settings,
      BlockHandler blocks,
      Function<String, @Nullable String> addresses) {
    SessionLimits limits =
        SessionLimits.DEFAULT
            .withKeepalive(settings.patience().dividedBy(3), settings.patience())
            .withResumeWindow(settings.patience())
            .withDefaultTimeout(ENDLESS);
    VerbenaServer started =
        listening(
            server
                .limits(limits)
                .bulkMemoryBytes(settings.memoryBytes())
                .serve(ShuffleBlocksRpc.bind(blocks)),
            settings);
    try {
      ShuffleExchange exchange =
          new ShuffleExchange(
              started,
              client.limits(limits).bulkMemoryBytes(settings.memoryBytes()).build(),
              settings,
              addresses);
      CURRENT.set(exchange);
      return exchange;
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  /** Another executor of the host may have the port that was set. */
  private static VerbenaServer listening(VerbenaServer.Builder server, VerbenaSettings settings) {
    int last =
        settings.port() == 0 ? 0 : Math.min(settings.port() + settings.portRetries(), 0xffff);
    for (int port = settings.port(); ; port++) {
      try {
        return server.listen(settings.bindAddress() + ":" + port).start();
      } catch (IllegalStateException e) {
        if (port == last || !Utils.isBindCollision(e)) {
          throw new IllegalStateException(
              "spark.verbena.bindAddress %s, spark.verbena.port %d: %s"
                  .formatted(settings.bindAddress(), settings.port(), e.getMessage()),
              e);
        }
      }
    }
  }

  /** Returns the exchange of this process; null if the plugin has not started one. */
  static @Nullable ShuffleExchange current() {
    return CURRENT.get();
  }

  /** Returns the port at which other executors reach this one. */
  int port() {
    return server.address().getPort();
  }

  /**
   * Returns another executor; null if it serves no blocks here. The first call for an executor asks
   * the driver for its address.
   */
  @Nullable Peer peer(String executor) {
    Peer known = peers.get(executor);
    if (known != null) {
      return known;
    }
    String address = addresses.apply(executor);
    return address == null
        ? null
        : peers.computeIfAbsent(
            executor,
            unknown -> {
              Session session = client.session(address);
              Peer made = new Peer(executor, session, ShuffleBlocksRpc.async(session));
              session.listen(
                  new SessionListener() {
                    @Override
                    public void ended(Session ended, RpcStatus status, String reason) {
                      forget(made);
                    }
                  });
              return made;
            });
  }

  /** Returns the path to each executor from which blocks were fetched. */
  Map<String, String> paths() {
    Map<String, String> paths = new TreeMap<>();
    peers.forEach((executor, peer) -> paths.put(executor, peer.session().path().toString()));
    return paths;
  }

  /** Fetches blocks. A fetch that makes no progress for too long fails. */
  CompletableFuture<Received> fetch(Peer peer, Wanted wanted, Landing into) {
    StallWatch watch = new StallWatch(stall);
    CompletableFuture<Received> fetched =
        peer.blocks().fetch(wanted, into.watched(watch::follow)).toCompletableFuture();
    return watch
        .over(fetched, clock, finishers)
        .whenComplete(
            (received, failure) -> {
              if (received != null) {
                fetchedBytes.addAndGet(received.length());
                LOG.debug(
                    "Fetched {} blocks of {} bytes to {} from executor {} over {}",
                    wanted.blocks().size(),
                    received.length(),
                    into instanceof Landing.InFile ? "a file" : "memory",
                    peer.executor(),
                    peer.session().path().link());
                return;
              }
              failedFetches.incrementAndGet();
              boolean isGone =
                  SessionBlockClient.cause(failure) instanceof RpcException told
                      && told.status() == RpcStatus.UNAVAILABLE
                      && peer.session().state() == SessionState.IDLE;
              if (isGone) {
                forget(peer); // before the session could open
              }
            });
  }

  /** An executor that is gone does not come back under its name. */
  private void forget(Peer peer) {
    if (peers.remove(peer.executor(), peer)) {
      peer.session().close();
    }
  }

  /** Registers what the exchange counts, in bytes and fetches. */
  void register(MetricRegistry metrics) {
    metrics.gauge("fetchedBytes", () -> fetchedBytes::get);
    metrics.gauge("failedFetches", () -> failedFetches::get);
    metrics.gauge("heldBytes", () -> budget::held);
  }

  /** Returns the memory for which fetches wait. */
  FetchBudget budget() {
    return budget;
  }

  long memoryBytes() {
    return memoryBytes;
  }

  @Override
  public void close() {
    clock.shutdownNow();
    finishers.shutdown();
    CURRENT.compareAndSet(this, null);
    client.close();
    server.close();
  }
}
