package io.verbena.bench.verbena;

import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;
import io.verbena.bench.usage.UsageMeter;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.function.ToIntFunction;

/** The server's side: Verbena's target, and the control that the client asks. */
public final class BenchHost implements AutoCloseable {
  /** More than any depth that is worth a look: what bounds the calls is then the load alone. */
  static final SessionLimits LIMITS = SessionLimits.DEFAULT.withMaxCalls(1 << 14);

  private final VerbenaServer server;

  private BenchHost(VerbenaServer server) {
    this.server = server;
  }

  /**
   * Starts serving.
   *
   * @param address where to listen, as {@code host:port} or {@code mem://name}
   * @param spin how long an idle event loop looks for work before it waits in the kernel
   * @param delay what each call is made to take
   * @param rivals has a rival listen in this process, and tells its port
   */
  public static BenchHost start(
      String address, Duration spin, Duration delay, ToIntFunction<String> rivals) {
    return new BenchHost(
        VerbenaServer.builder()
            .listen(address)
            .spin(spin)
            .limits(LIMITS)
            .serve(BenchTargetRpc.bind(new Target(delay)))
            .serve(BenchControlRpc.bind(new Control(rivals)))
            .start());
  }

  /** Starts one that has no rivals. */
  public static BenchHost start(String address, Duration spin, Duration delay) {
    return start(
        address,
        spin,
        delay,
        name -> {
          throw new IllegalArgumentException("no rivals here, so no " + name);
        });
  }

  /** Returns the port it listens at. */
  public int port() {
    return server.address().getPort();
  }

  @Override
  public void close() {
    server.close();
  }

  private record Control(ToIntFunction<String> rivals) implements BenchControl {
    @Override
    public Usage usage() {
      return UsageMeter.read();
    }

    @Override
    public int rivalPort(String name) {
      return rivals.applyAsInt(name);
    }

    @Override
    public HostInfo host() {
      return HostInfo.read();
    }
  }
}
