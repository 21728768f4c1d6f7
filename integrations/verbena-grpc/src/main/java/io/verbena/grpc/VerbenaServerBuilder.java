package io.verbena.grpc;

import io.grpc.BindableService;
import io.grpc.CompressorRegistry;
import io.grpc.DecompressorRegistry;
import io.grpc.ForwardingServerBuilder;
import io.grpc.HandlerRegistry;
import io.grpc.MetricRecorder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import io.grpc.internal.GrpcUtil;
import io.grpc.internal.InternalServer;
import io.grpc.internal.ServerImplBuilder;
import io.verbena.api.settings.Checks;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.link.TlsFiles;
import io.verbena.link.TlsOptions;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds a gRPC server whose calls travel over Verbena's sessions: RDMA, shared memory or TCP, as
 * both ends allow. The services, interceptors and handlers are those of any gRPC server.
 *
 * <pre>{@code
 * Server server = VerbenaServerBuilder.forPort(7400).addService(new MyGreeter()).build().start();
 * }</pre>
 *
 * <p>Contracts of Verbena can be served at the same port:
 *
 * <pre>{@code
 * VerbenaServerBuilder.forPort(7400)
 *     .addService(new MyGreeter())
 *     .engine(engine -> engine.serve(StoreRpc.bind(new MyStore())))
 * }</pre>
 */
public final class VerbenaServerBuilder extends ForwardingServerBuilder<VerbenaServerBuilder> {
  /** gRPC's server waits for its calls without a limit. */
  private static final Duration NO_LIMIT = Duration.ofDays(1);

  private final ServerImplBuilder delegate;

  /** What the server of HTTP/2 is built with. */
  private final List<Consumer<ServerBuilder<?>>> ofHttp2 = new ArrayList<>();

  private final Http2Gateway http2 = new Http2Gateway(ofHttp2);
  private final VerbenaServer.Builder engine = VerbenaServer.builder();
  private final String address;
  private Consumer<VerbenaServer> whenStarted = server -> {};
  private SessionLimits limits = Defaults.LIMITS;
  private int mostMessage = GrpcUtil.DEFAULT_MAX_MESSAGE_SIZE;
  private int mostMetadata = GrpcUtil.DEFAULT_MAX_HEADER_LIST_SIZE;
  private boolean ownExecutor;

  private VerbenaServerBuilder(String address, @Nullable TlsOptions tls) {
    GrpcVersion.check();
    this.address = Checks.required("address", address);
    this.delegate = new ServerImplBuilder(new Servers());
    engine.listen(address).limits(limits).drainTime(NO_LIMIT);
    if (!address.contains("://") || address.startsWith("tcp://")) {
      engine.gateway(http2); // which the user may replace
    }
    if (tls != null) {
      engine.tls(tls);
    }
  }

  /** Listens at a port of every address of this machine, without TLS. Port 0 is any free port. */
  public static VerbenaServerBuilder forPort(int port) {
    return new VerbenaServerBuilder("0.0.0.0:" + port, null);
  }

  /** Listens at a port, as {@link #forAddress(String, ServerCredentials)} does at an address. */
  public static VerbenaServerBuilder forPort(int port, ServerCredentials credentials) {
    return forAddress("0.0.0.0:" + port, credentials);
  }

  /**
   * Listens at an address, without TLS.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   */
  public static VerbenaServerBuilder forAddress(String address) {
    return new VerbenaServerBuilder(address, null);
  }

  /**
   * Listens at an address.
   *
   * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}
   * @throws IllegalArgumentException if the credentials are of a kind that is not supported; the
   *     message names those that are
   */
  public static VerbenaServerBuilder forAddress(String address, ServerCredentials credentials) {
    return new VerbenaServerBuilder(address, Credentials.server(credentials));
  }

  /**
   * Changes settings of the server of Verbena: contracts to serve, an authenticator, paths, memory.
   */
  public VerbenaServerBuilder engine(Consumer<? super VerbenaServer.Builder> settings) {
    settings.accept(engine);
    return this;
  }

  /**
   * Adds an action that receives the server of Verbena when it has started, to publish objects, or
   * for its sessions. It ends with the server of gRPC. The action runs in {@link Server#start}.
   */
  public VerbenaServerBuilder onStart(Consumer<? super VerbenaServer> action) {
    whenStarted = whenStarted.andThen(Checks.required("onStart", action));
    return this;
  }

  /**
   * Sets the limits of sessions. Default: those of {@link SessionLimits#DEFAULT}, with 16,384 calls
   * at once, of which a quarter is left for the pieces of streams.
   */
  public VerbenaServerBuilder limits(SessionLimits limits) {
    this.limits = Checks.required("limits", limits);
    engine.limits(limits);
    return this;
  }

  /**
   * Sets whether gRPC over HTTP/2 is served at the same port, too, for clients in other languages.
   * It needs {@code io.grpc:grpc-netty} on the class path, a TCP address, no authenticator of
   * sessions, and no other gateway. With TLS such clients use ALPN or not. Clients that are not
   * served receive the reason in a GOAWAY. Default: served if all that is so.
   *
   * @param serve whether HTTP/2 must be served; false refuses it
   * @throws IllegalStateException if it must, and grpc-netty is not there; the message says what to
   *     add. If something else is in the way, {@link Server#start} says so
   */
  public VerbenaServerBuilder http2(boolean serve) {
    if (serve) {
      http2.require();
      engine.gateway(http2);
    } else {
      http2.refuse();
    }
    return this;
  }

  private VerbenaServerBuilder both(Consumer<ServerBuilder<?>> setting) {
    setting.accept(delegate);
    ofHttp2.add(setting);
    return this;
  }

  @Override
  public VerbenaServerBuilder addService(ServerServiceDefinition service) {
    return both(to -> to.addService(service));
  }

  @Override
  public VerbenaServerBuilder addService(BindableService service) {
    return both(to -> to.addService(service));
  }

  @Override
  public VerbenaServerBuilder intercept(ServerInterceptor interceptor) {
    return both(to -> to.intercept(interceptor));
  }

  @Override
  public VerbenaServerBuilder addTransportFilter(ServerTransportFilter filter) {
    return both(to -> to.addTransportFilter(filter));
  }

  @Override
  public VerbenaServerBuilder addStreamTracerFactory(ServerStreamTracer.Factory factory) {
    return both(to -> to.addStreamTracerFactory(factory));
  }

  @Override
  public VerbenaServerBuilder fallbackHandlerRegistry(@Nullable HandlerRegistry registry) {
    return both(to -> to.fallbackHandlerRegistry(registry));
  }

  /** Runs handlers on the thread that receives calls, which must not wait there. */
  @Override
  public VerbenaServerBuilder directExecutor() {
    ownExecutor = true;
    return both(ServerBuilder::directExecutor);
  }

  /**
   * Sets who runs handlers. Default, or null: the threads that gRPC's servers share, of which a
   * burst of calls wakes few.
   */
  @Override
  public VerbenaServerBuilder executor(@Nullable Executor executor) {
    ownExecutor = executor != null;
    return both(to -> to.executor(executor));
  }

  @Override
  public VerbenaServerBuilder compressorRegistry(@Nullable CompressorRegistry registry) {
    return both(to -> to.compressorRegistry(registry));
  }

  @Override
  public VerbenaServerBuilder decompressorRegistry(@Nullable DecompressorRegistry registry) {
    return both(to -> to.decompressorRegistry(registry));
  }

  @Override
  public VerbenaServerBuilder useTransportSecurity(File certificates, File key) {
    engine.tls(TlsFiles.identity(certificates.toPath(), key.toPath()).server());
    return this;
  }

  /** Adds a setting of connections of HTTP/2. Sessions ping by themselves, and have no age. */
  private VerbenaServerBuilder http2(Consumer<ServerBuilder<?>> setting) {
    ofHttp2.add(setting);
    return this;
  }

  /** For clients of HTTP/2, as the next settings. Sessions ping as their limits say. */
  @Override
  public VerbenaServerBuilder keepAliveTime(long time, TimeUnit unit) {
    return http2(to -> to.keepAliveTime(time, unit));
  }

  @Override
  public VerbenaServerBuilder keepAliveTimeout(long time, TimeUnit unit) {
    return http2(to -> to.keepAliveTimeout(time, unit));
  }

  @Override
  public VerbenaServerBuilder permitKeepAliveTime(long time, TimeUnit unit) {
    return http2(to -> to.permitKeepAliveTime(time, unit));
  }

  @Override
  public VerbenaServerBuilder permitKeepAliveWithoutCalls(boolean permit) {
    return http2(to -> to.permitKeepAliveWithoutCalls(permit));
  }

  /** For clients of HTTP/2, as the next settings. Sessions have no age. */
  @Override
  public VerbenaServerBuilder maxConnectionIdle(long time, TimeUnit unit) {
    return http2(to -> to.maxConnectionIdle(time, unit));
  }

  @Override
  public VerbenaServerBuilder maxConnectionAge(long time, TimeUnit unit) {
    return http2(to -> to.maxConnectionAge(time, unit));
  }

  @Override
  public VerbenaServerBuilder maxConnectionAgeGrace(long time, TimeUnit unit) {
    return http2(to -> to.maxConnectionAgeGrace(time, unit));
  }

  /**
   * Sets the longest message to take, in bytes. A longer one fails its call with
   * RESOURCE_EXHAUSTED. Default: 4 MiB.
   */
  @Override
  public VerbenaServerBuilder maxInboundMessageSize(int bytes) {
    mostMessage = Checks.between("maxInboundMessageSize", bytes, 0, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Sets the largest request headers to take, in bytes. Larger ones fail their call with
   * RESOURCE_EXHAUSTED. Default: 8 KiB.
   */
  @Override
  public VerbenaServerBuilder maxInboundMetadataSize(int bytes) {
    mostMetadata = Checks.between("maxInboundMetadataSize", bytes, 1, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Sets whether OpenCensus of {@code grpc-census}, if it is there, counts calls. Default: true.
   */
  public VerbenaServerBuilder setStatsEnabled(boolean enabled) {
    delegate.setStatsEnabled(enabled);
    return this;
  }

  @Override
  protected ServerBuilder<?> delegate() {
    return delegate;
  }

  /** Makes what a server is about to be built with. */
  InternalServer internalServer(List<? extends ServerStreamTracer.Factory> tracers) {
    TaskRelay relay = ownExecutor ? null : new TaskRelay(GrpcUtil.SHARED_CHANNEL_EXECUTOR);
    if (relay != null) {
      delegate.executor(relay); // the server asks for it next
    }
    return new InternalServerImpl(
        engine,
        new VerbenaAddress(address),
        new GrpcServerSettings(
            mostMessage,
            mostMetadata,
            GrpcContract.mostStreams(limits),
            List.copyOf(tracers),
            relay,
            whenStarted),
        http2);
  }

  /** gRPC 1.79 asks without a recorder, and later versions with one. */
  private final class Servers implements ServerImplBuilder.ClientTransportServersBuilder {
    @Override
    public InternalServer buildClientTransportServers(
        List<? extends ServerStreamTracer.Factory> tracers, MetricRecorder recorder) {
      return internalServer(tracers);
    }

    @SuppressWarnings({"unused", "EffectivelyPrivate"}) // gRPC 1.79 calls it
    public InternalServer buildClientTransportServers(
        List<? extends ServerStreamTracer.Factory> tracers) {
      return internalServer(tracers);
    }
  }
}
