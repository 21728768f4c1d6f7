package io.verbena.channel;

import io.verbena.api.CallOptions;
import io.verbena.api.Channel;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.VerbenaClient;
import io.verbena.link.runtime.NanoClock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A channel to several servers of the same services. It has a session with each, and sends each
 * call to one of them. A call that one server does not take goes to another. Safe for use by any
 * thread.
 *
 * <pre>{@code
 * try (BalancedChannel channel =
 *     BalancedChannel.builder(client, "dns:///store.example:7400")
 *         .balancer(Balancer.leastInFlight())
 *         .build()) {
 *   Store store = StoreRpc.client(channel);
 * }
 * }</pre>
 *
 * <p>Arguments of a call that may be made again must not change before it has ended.
 */
public final class BalancedChannel implements Channel, AutoCloseable {
  private final VerbenaClient client;
  private final ChannelSettings settings;
  private final String target;
  private final Resolver resolver;
  private final Members members;
  private final RetryBudget budget;
  private final Counters counters = new Counters();
  private final long defaultTimeoutNanos;
  private final Runnable letGoOfTime;
  private final Supplier<ChannelStat> statSource = this::stat;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /** Counts of what the channel did so far. */
  static final class Counters {
    final LongAdder calls = new LongAdder();
    final LongAdder moves = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder hedges = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder unserved = new LongAdder();
  }

  private BalancedChannel(
      VerbenaClient client, ChannelSettings settings, String target, Resolver resolver) {
    this.client = client;
    this.settings = settings;
    this.target = target;
    this.resolver = resolver;
    this.members = new Members(settings, client, resolver);
    this.budget = new RetryBudget(settings.retries());
    this.defaultTimeoutNanos = NanoClock.nanos(client.limits().defaultTimeout());
    this.letGoOfTime = settings.time() instanceof SystemTime time ? time.hold() : () -> {};
  }

  /**
   * Returns a builder with the defaults.
   *
   * @param client makes the sessions; the channel does not close it
   * @param target one of {@code static:host:port,host:port}; {@code dns:///name:port}; {@code
   *     verbena:///name}, a logical name that the system property {@code verbena.names} or the
   *     environment variable {@code VERBENA_NAMES} maps to a target; or a target of another {@link
   *     ResolverProvider} on the class path
   */
  public static Builder builder(VerbenaClient client, String target) {
    return new Builder(client, Checks.required("target", target), null);
  }

  /** Returns a builder for servers that a resolver finds. The channel closes the resolver. */
  public static Builder builder(VerbenaClient client, Resolver resolver) {
    return new Builder(client, "", Checks.required("resolver", resolver));
  }

  @Override
  public ServiceCaller caller(ServiceDescriptor<?> service, CallOptions options) {
    return new BalancedCaller(this, service, options);
  }

  /** Returns the objects that the channel's servers have published. */
  public BalancedObjects objects() {
    return new BalancedObjects(this);
  }

  /** Returns the channel's counters and the state of its servers. */
  public ChannelStat stat() {
    return new ChannelStat(
        target,
        counters.calls.sum(),
        counters.moves.sum(),
        counters.retries.sum(),
        counters.hedges.sum(),
        counters.refused.sum(),
        counters.unserved.sum(),
        members.isOut() ? members.why() : "",
        members.stat());
  }

  /**
   * Connects at once to each server that could not be reached, instead of after the delay of {@link
   * Builder#reconnect}; returns at once. Calls wait for the outcome, as they do for the first
   * attempt. For programs that know that servers are back, such as one that has started them.
   */
  public void resetConnectBackoff() {
    members.resetConnectBackoff();
  }

  /**
   * Ends every session as {@link io.verbena.api.Session#close} does; returns at once. Later calls
   * fail with UNAVAILABLE. Closing again does nothing.
   */
  @Override
  public void close() {
    Channels.forget(statSource);
    resolver.close();
    members.close();
    letGoOfTime.run();
    closed.complete(null);
  }

  /**
   * Returns a stage that completes when the channel is closed, on the thread that closes it. A
   * monitor of the channel can end with it.
   */
  public CompletionStage<Void> closed() {
    return closed.minimalCompletionStage();
  }

  VerbenaClient client() {
    return client;
  }

  ChannelSettings settings() {
    return settings;
  }

  Members members() {
    return members;
  }

  Counters counters() {
    return counters;
  }

  long defaultTimeoutNanos() {
    return defaultTimeoutNanos;
  }

  /** Counts that a server has answered a call. */
  void answered() {
    budget.earn();
  }

  /** Takes a token of the budget, or counts that there was none. */
  boolean takeToken() {
    boolean taken = budget.take();
    if (!taken) {
      counters.refused.increment();
    }
    return taken;
  }

  /** Settings of a channel. */
  public static final class Builder {
    private final VerbenaClient client;
    private final String target;
    private final @Nullable Resolver resolver;
    private ChannelTime time = ChannelTime.SYSTEM;
    private RandomGenerator random = new Random();
    private Balancer balancer = Balancer.roundRobin();
    private String authority = "";
    private String zone = "";
    private int subset = Integer.MAX_VALUE;
    private @Nullable Long subsetKey;
    private boolean waitForReady;
    private Backoff reconnect = Backoff.of(Duration.ofMillis(100), Duration.ofSeconds(10));
    private Retries retries = Retries.DEFAULT;
    private long hedgeNanos;
    private @Nullable Ejection ejection;
    private @Nullable String healthOf;
    private Duration healthEvery = Duration.ofSeconds(5);

    private Builder(VerbenaClient client, String target, @Nullable Resolver resolver) {
      this.client = Checks.required("client", client);
      this.target = target;
      this.resolver = resolver;
    }

    /**
     * Sets the balancer, which chooses among the servers. A balancer serves one channel only.
     * Default: {@link Balancer#roundRobin}.
     */
    public Builder balancer(Balancer balancer) {
      this.balancer = Checks.required("balancer", balancer);
      return this;
    }

    /**
     * Sets the host name that the certificate of each server must have, with TLS. It is also sent
     * to servers (SNI). Default: the resolver's authority, such as the name that {@code dns:} looks
     * up, else the host of each address.
     *
     * @param host a name without a port, such as {@code store.example}
     */
    public Builder authority(String host) {
      Endpoint.requireHost(host);
      this.authority = host;
      return this;
    }

    /** Prefers servers of this zone as long as one of them takes calls. Default: no preference. */
    public Builder zone(String zone) {
      this.zone = Checks.required("zone", zone);
      return this;
    }

    /**
     * Limits the number of servers that the channel has sessions with. Useful if there are many
     * clients and many servers.
     *
     * @param servers at least 1
     * @param key chooses the servers; clients with different keys get different servers
     */
    public Builder subset(int servers, long key) {
      this.subset = Checks.between("subset", servers, 1, Integer.MAX_VALUE);
      this.subsetKey = key;
      return this;
    }

    /** Limits the number of servers like {@link #subset(int, long)}, with a random key. */
    public Builder subset(int servers) {
      this.subset = Checks.between("subset", servers, 1, Integer.MAX_VALUE);
      this.subsetKey = null;
      return this;
    }

    /**
     * Lets calls wait for a server until their deadline. By default calls fail at once with
     * UNAVAILABLE, NOT_EXECUTED if all servers are known not to take them.
     */
    public Builder waitForReady() {
      this.waitForReady = true;
      return this;
    }

    /** Sets the delays between attempts to connect to a server. Default: 100 ms to 10 s. */
    public Builder reconnect(Backoff delays) {
      this.reconnect = Checks.required("reconnect", delays);
      return this;
    }

    /** Sets how often calls are made again. Default: {@link Retries#DEFAULT}. */
    public Builder retries(Retries retries) {
      this.retries = Checks.required("retries", retries);
      return this;
    }

    /**
     * Makes an idempotent call a second time, at another server, if it has no answer after this
     * time. The first answer counts, and the other attempt is cancelled. Each hedge takes a token
     * of the budget. Calls with a landing are not hedged. Default: never.
     *
     * @param delay longer than 0
     */
    public Builder hedgeAfter(Duration delay) {
      this.hedgeNanos = NanoClock.nanos(Checks.positive("hedgeAfter", delay));
      return this;
    }

    /** Leaves servers out for a while if calls to them fail. Default: no server is left out. */
    public Builder ejection(Ejection ejection) {
      this.ejection = Checks.required("ejection", ejection);
      return this;
    }

    /**
     * Leaves out servers whose {@link Health} service says that a service is not SERVING. A server
     * that does not serve {@code Health} counts as serving.
     *
     * @param service its name on the wire; empty for the server as a whole
     * @param period the time between two questions to one server, longer than 0
     */
    public Builder health(String service, Duration period) {
      this.healthOf = Checks.required("service", service);
      this.healthEvery = Checks.positive("period", period);
      return this;
    }

    /** Sets the channel's clock and timers, for tests. Default: the machine's. */
    public Builder time(ChannelTime time) {
      this.time = Checks.required("time", time);
      return this;
    }

    /**
     * Sets the source of random delays and subsets, for tests.
     *
     * @param random safe for use by any thread
     */
    public Builder random(RandomGenerator random) {
      this.random = Checks.required("random", random);
      return this;
    }

    /**
     * Makes the channel. The channel begins to connect; this method does not wait for it.
     *
     * @throws IllegalArgumentException if the target is malformed or of an unknown scheme, or if
     *     the address of a server that is known from the start is malformed
     * @throws IllegalStateException if the thread for the timers of all channels cannot be started
     */
    public BalancedChannel build() {
      Long key = subsetKey;
      ChannelSettings settings =
          new ChannelSettings(
              time,
              random,
              balancer,
              authority,
              zone,
              subset,
              key == null ? random.nextLong() : key,
              waitForReady,
              reconnect,
              retries,
              hedgeNanos,
              ejection,
              healthOf,
              healthEvery);
      Resolver finds = resolver == null ? Targets.resolver(Targets.parse(target), time) : resolver;
      if (finds instanceof StaticResolver known) {
        known.endpoints().forEach(this::check);
      }
      String named = resolver == null ? target : resolver.getClass().getName();
      BalancedChannel channel = new BalancedChannel(client, settings, named, finds);
      finds.start(channel.members);
      Channels.add(channel.statSource);
      return channel;
    }

    private void check(Endpoint endpoint) {
      try {
        client.checkAddress(endpoint.address());
      } catch (IllegalArgumentException e) {
        String from = target.isEmpty() ? "" : " of '" + target + "'";
        throw new IllegalArgumentException(
            "a server"
                + from
                + ": "
                + e.getMessage()
                + "; separate the servers of static: by commas",
            e);
      }
    }
  }
}
