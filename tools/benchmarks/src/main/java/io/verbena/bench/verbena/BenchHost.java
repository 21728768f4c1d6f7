package io.verbena.bench.verbena;

import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;
import io.verbena.bench.usage.UsageMeter;
import io.verbena.bench.usage.Versions;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/** The server side: the target of measured calls, and the control for the client. */
public final class BenchHost implements AutoCloseable {
  /** Long enough for a session to open between emulated processors. */
  public static final Duration OPENS_WITHIN = Duration.ofSeconds(20);

  /**
   * More calls than any useful depth, and more time than any call needs, so that only the load
   * bounds both.
   */
  static final SessionLimits LIMITS =
      SessionLimits.DEFAULT.withMaxCalls(1 << 14).withDefaultTimeout(Duration.ofMinutes(1));

  private static final Duration LEASE = Duration.ofDays(1);

  private final VerbenaServer server;
  private final Shelf shelf;
  private final Arrivals arrivals;

  private BenchHost(VerbenaServer server, Shelf shelf, Arrivals arrivals) {
    this.server = server;
    this.shelf = shelf;
    this.arrivals = arrivals;
  }

  /**
   * Starts serving.
   *
   * @param address the address to listen on, as {@code host:port} or {@code mem://name}
   * @param idling the idling of its event loops
   * @param delay an additional delay of each call
   * @param loops the number of event loops; 0 for the default
   * @param rivals starts a rival's server in this process, and returns its port
   */
  public static BenchHost start(
      String address, Idling idling, Duration delay, int loops, ToIntFunction<String> rivals) {
    CompletableFuture<VerbenaServer> started = new CompletableFuture<>();
    Shelf shelf = new Shelf(source -> started.join().publish(source, LEASE));
    Arrivals arrivals = new Arrivals();
    VerbenaServer.Builder builder = VerbenaServer.builder();
    idling.tell(builder::spin, builder::pollAlways);
    if (loops > 0) {
      builder.loops(loops);
    }
    VerbenaServer server =
        builder
            .listen(address)
            .limits(LIMITS)
            .onSession(session -> session.objects().onPush(arrivals))
            .serve(BenchTargetRpc.bind(new Target(delay)))
            .serve(BenchControlRpc.bind(new Control(rivals, shelf)))
            .start();
    started.complete(server);
    return new BenchHost(server, shelf, arrivals);
  }

  /** Starts a server without rivals. */
  public static BenchHost start(String address, Idling idling, Duration delay) {
    return start(
        address,
        idling,
        delay,
        0,
        name -> {
          throw new IllegalArgumentException("this server has no rivals, so it has no " + name);
        });
  }

  /** Returns the target of measured calls alone, for another server. */
  public static ServiceBinding target() {
    return BenchTargetRpc.bind(new Target(Duration.ZERO));
  }

  public int port() {
    return server.address().getPort();
  }

  @Override
  public void close() {
    shelf.close();
    server.close();
    arrivals.close();
  }

  private record Control(ToIntFunction<String> rivals, Shelf shelf) implements BenchControl {
    @Override
    public Usage usage() {
      return UsageMeter.read();
    }

    @Override
    public ObjectRef object(int size, boolean fromFile) {
      return shelf.object(size, fromFile);
    }

    @Override
    public int rivalPort(String name) {
      return rivals.applyAsInt(name);
    }

    @Override
    public String version() {
      return Versions.verbena();
    }

    @Override
    public HostInfo host() {
      return HostInfo.read();
    }
  }
}
