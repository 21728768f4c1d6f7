package io.verbena.channel;

import io.verbena.api.settings.Checks;
import io.verbena.link.HostAndPort;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import java.net.IDN;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Looks a name up repeatedly: every {@code period}, and after a server could not be reached, then
 * at most once in {@code shortest}. A headless Kubernetes service has the addresses of all its
 * pods. With TLS, certificates must have the name that was looked up.
 *
 * <p>The JDK caches answers for 30 s; the security property {@code networkaddress.cache.ttl} sets
 * that time.
 */
public final class DnsResolver implements Resolver {
  /** The default time between two look-ups. */
  public static final Duration PERIOD = Duration.ofSeconds(30);

  /** The default of the shortest time between a look-up and one after a failure. */
  public static final Duration SHORTEST = Duration.ofSeconds(1);

  private final String host;
  private final String authority;
  private final int port;
  private final Lookup lookup;
  private final Executor threads;
  private final ChannelTime time;
  private final long period;
  private final long shortest;
  private @Nullable Listener listener;
  private Runnable withdraw = () -> {};
  private long lookedUp;
  private boolean looking;
  private boolean closed;

  /** Looks up the name of a host. May block. */
  @FunctionalInterface
  public interface Lookup {
    /** The JDK's resolver. */
    Lookup JDK =
        host ->
            Arrays.stream(InetAddress.getAllByName(host))
                .map(
                    address ->
                        address instanceof Inet6Address
                            ? "[" + address.getHostAddress() + "]"
                            : address.getHostAddress())
                .toList();

    /** Returns the addresses of a host, without ports. */
    List<String> addresses(String host) throws UnknownHostException;
  }

  /**
   * Makes a resolver, which does nothing until it is started.
   *
   * @param port the port of every server
   * @param threads runs look-ups, which may block
   * @param period the time between two look-ups, longer than 0
   * @param shortest the shortest time between a look-up and one after a failure, longer than 0
   */
  public DnsResolver(
      String host,
      int port,
      Lookup lookup,
      Executor threads,
      ChannelTime time,
      Duration period,
      Duration shortest) {
    this.host = Checks.required("host", host);
    this.authority = host.contains(":") ? "" : IDN.toASCII(host.replaceFirst("\\.$", ""));
    this.port = port;
    this.lookup = lookup;
    this.threads = threads;
    this.time = time;
    this.period = NanoClock.nanos(Checks.positive("period", period));
    this.shortest = NanoClock.nanos(Checks.positive("shortest", shortest));
  }

  /** Makes resolvers for {@code dns:///name:port}. */
  public static final class Provider implements ResolverProvider {
    @Override
    public String scheme() {
      return "dns";
    }

    @Override
    public Resolver resolver(URI target, ChannelTime time) {
      String path = target.getPath() == null ? "" : target.getPath();
      String place = path.startsWith("/") ? path.substring(1) : path;
      HostAndPort named;
      try {
        named = HostAndPort.parse(place);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "'%s' is no name with a port up to %d: write dns:///store.example:7400"
                .formatted(target, HostAndPort.MOST_PORT),
            e);
      }
      return new DnsResolver(
          named.host(), named.port(), Lookup.JDK, OwnThreads.LOOKUPS, time, PERIOD, SHORTEST);
    }
  }

  @Override
  public void start(Listener listener) {
    synchronized (this) {
      this.listener = listener;
    }
    look();
  }

  @Override
  public synchronized void refresh() {
    if (!closed && !looking) {
      long since = time.nanoTime() - lookedUp;
      again(Math.max(0, shortest - since));
    }
  }

  private synchronized void again(long nanos) {
    withdraw.run();
    withdraw = time.after(nanos, this::look);
  }

  private void look() {
    synchronized (this) {
      if (closed || looking) {
        return;
      }
      looking = true;
      withdraw.run();
    }
    OwnThreads.hand(
        threads,
        this::lookNow,
        failure ->
            looked(List.of(), "the name '%s' could not be looked up: %s".formatted(host, failure)));
  }

  private void lookNow() {
    List<Endpoint> found = List.of();
    String failure = null;
    try {
      found =
          lookup.addresses(host).stream()
              .sorted()
              .map(address -> Endpoint.of(address + ":" + port).withAuthority(authority))
              .toList();
    } catch (UnknownHostException | RuntimeException e) {
      failure = "the name '%s' was not found (%s): see 'getent hosts %s'".formatted(host, e, host);
    }
    looked(found, failure);
  }

  private void looked(List<Endpoint> found, @Nullable String failure) {
    Listener told;
    synchronized (this) {
      looking = false;
      lookedUp = time.nanoTime();
      told = listener;
      if (closed || told == null) {
        return;
      }
      again(failure == null ? period : Math.min(period, 5 * shortest));
    }
    if (failure == null) {
      told.endpoints(found);
    } else {
      told.failed(failure);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    withdraw.run();
  }
}
