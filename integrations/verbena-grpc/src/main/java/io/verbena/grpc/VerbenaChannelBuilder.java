package io.verbena.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.ChannelLogger;
import io.grpc.ForwardingChannelBuilder2;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import io.grpc.internal.ClientTransportFactory;
import io.grpc.internal.ConnectionClientTransport;
import io.grpc.internal.GrpcUtil;
import io.grpc.internal.ManagedChannelImplBuilder;
import io.grpc.internal.SharedResourceHolder;
import io.verbena.api.settings.Checks;
import io.verbena.core.VerbenaClient;
import io.verbena.link.TlsOptions;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds a gRPC channel whose calls travel over Verbena's sessions. Stubs, interceptors, balancers
 * and retries are those of any gRPC channel.
 *
 * <pre>{@code
 * ManagedChannel channel =
 *     VerbenaChannelBuilder.forTarget("verbena:///localhost:7400").usePlaintext().build();
 * }</pre>
 *
 * <p>{@code Grpc.newChannelBuilder("verbena:///localhost:7400", credentials)} finds this builder by
 * itself. Without credentials and {@link #usePlaintext} a channel uses TLS, as gRPC's builders do.
 */
public final class VerbenaChannelBuilder extends ForwardingChannelBuilder2<VerbenaChannelBuilder> {
  private final ManagedChannelImplBuilder delegate;

  /** Null if they were not given. */
  private final @Nullable ChannelCredentials credentials;

  private boolean plaintext;
  private int mostMessage = GrpcUtil.DEFAULT_MAX_MESSAGE_SIZE;
  private int mostMetadata = GrpcUtil.DEFAULT_MAX_HEADER_LIST_SIZE;
  private GrpcChannelSettings.Leave leaves = GrpcChannelSettings.Leave.FOR_ANOTHER;
  private @Nullable VerbenaClient client;
  private @Nullable Consumer<? super VerbenaClient.Builder> engine;
  private boolean ownExecutor;

  private VerbenaChannelBuilder(String target, @Nullable ChannelCredentials given) {
    GrpcVersion.check();
    this.credentials = given;
    String uri = VerbenaNameResolverProvider.uri(Checks.required("target", target));
    this.delegate =
        given == null
            ? new ManagedChannelImplBuilder(uri, this::factory, null)
            : new ManagedChannelImplBuilder(
                uri, given, Credentials.channel(given).calls(), this::factory, null);
  }

  /**
   * Returns a builder, with TLS unless {@link #usePlaintext} is called.
   *
   * @param target {@code verbena:///host:port}, {@code verbena:///host1:port,host2:port}, or the
   *     target of another name resolver, such as {@code dns:///host:port}, whose addresses are
   *     {@link VerbenaAddress}es or those of sockets
   */
  public static VerbenaChannelBuilder forTarget(String target) {
    return new VerbenaChannelBuilder(target, null);
  }

  /**
   * Returns a builder.
   *
   * @param target as for {@link #forTarget(String)}
   * @throws IllegalArgumentException if the credentials are of a kind that is not supported; the
   *     message names those that are
   */
  public static VerbenaChannelBuilder forTarget(String target, ChannelCredentials credentials) {
    return new VerbenaChannelBuilder(target, Checks.required("credentials", credentials));
  }

  /** Returns a builder for one server, with TLS unless {@link #usePlaintext} is called. */
  public static VerbenaChannelBuilder forAddress(String host, int port) {
    return forTarget(VerbenaNameResolverProvider.target(host, port));
  }

  /** Returns a builder for one server, as {@link #forTarget(String, ChannelCredentials)} does. */
  public static VerbenaChannelBuilder forAddress(
      String host, int port, ChannelCredentials credentials) {
    return forTarget(VerbenaNameResolverProvider.target(host, port), credentials);
  }

  /**
   * Uses the sessions' settings of a client, such as its path policy and its limits. The client
   * stays open when the channel is shut down, and its own TLS counts, not that of the channel.
   * Default: a client that all channels without {@link #engine} and TLS share.
   */
  public VerbenaChannelBuilder client(VerbenaClient client) {
    this.client = Checks.required("client", client);
    return this;
  }

  /** Changes settings of the channel's own client of Verbena, which then has its own threads. */
  public VerbenaChannelBuilder engine(Consumer<? super VerbenaClient.Builder> settings) {
    this.engine = Checks.required("engine", settings);
    return this;
  }

  /**
   * Sets whether new calls leave a session that has lost its connection and is being resumed. If
   * they do, gRPC opens another session, perhaps to another address, and calls in progress go on in
   * the first. If not, they wait for the session. Default: they leave at once if a {@code verbena:}
   * target has several addresses, else they wait.
   */
  public VerbenaChannelBuilder leaveLostSessions(boolean leave) {
    this.leaves = leave ? GrpcChannelSettings.Leave.ALWAYS : GrpcChannelSettings.Leave.NEVER;
    return this;
  }

  /**
   * Sets the longest message to take, in bytes. A longer one fails its call with
   * RESOURCE_EXHAUSTED. Default: 4 MiB.
   */
  @Override
  public VerbenaChannelBuilder maxInboundMessageSize(int bytes) {
    mostMessage = Checks.between("maxInboundMessageSize", bytes, 0, Integer.MAX_VALUE);
    delegate.maxInboundMessageSize(bytes);
    return this;
  }

  /**
   * Sets the largest headers and trailers to take, in bytes. Larger ones fail their call with
   * RESOURCE_EXHAUSTED. Default: 8 KiB.
   */
  @Override
  public VerbenaChannelBuilder maxInboundMetadataSize(int bytes) {
    mostMetadata = Checks.between("maxInboundMetadataSize", bytes, 1, Integer.MAX_VALUE);
    return this;
  }

  /** Runs callbacks on the thread that receives them, which must not wait there. */
  @Override
  public VerbenaChannelBuilder directExecutor() {
    ownExecutor = true;
    delegate.directExecutor();
    return this;
  }

  /**
   * Sets who runs callbacks. Default, or null: the threads that gRPC's channels share, of which a
   * burst of callbacks wakes few.
   */
  @Override
  public VerbenaChannelBuilder executor(@Nullable Executor executor) {
    ownExecutor = executor != null;
    delegate.executor(executor);
    return this;
  }

  /** Connects without TLS. Credentials that were given with the target count more. */
  @Override
  public VerbenaChannelBuilder usePlaintext() {
    plaintext = true;
    return this;
  }

  /**
   * Connects with TLS, which is the default. The authorities that the JVM trusts must have issued
   * the server's certificate; {@link io.grpc.TlsChannelCredentials} name others.
   */
  @Override
  public VerbenaChannelBuilder useTransportSecurity() {
    plaintext = false;
    return this;
  }

  /** Does nothing: sessions ping as the limits of their client say. */
  @Override
  public VerbenaChannelBuilder keepAliveTime(long time, TimeUnit unit) {
    return this;
  }

  /** Does nothing, as {@link #keepAliveTime}. */
  @Override
  public VerbenaChannelBuilder keepAliveTimeout(long time, TimeUnit unit) {
    return this;
  }

  /** Does nothing: sessions ping without calls, too. */
  @Override
  public VerbenaChannelBuilder keepAliveWithoutCalls(boolean enable) {
    return this;
  }

  /**
   * Sets whether OpenCensus of {@code grpc-census}, if it is there, counts calls. Default: true.
   */
  public VerbenaChannelBuilder setStatsEnabled(boolean enabled) {
    delegate.setStatsEnabled(enabled);
    return this;
  }

  @Override
  protected ManagedChannelBuilder<?> delegate() {
    return delegate;
  }

  /** Makes what a channel is about to be built with. */
  ClientTransportFactory factory() {
    TlsOptions tls = tls();
    GrpcChannelSettings made =
        new GrpcChannelSettings(mostMessage, mostMetadata, tls != null, leaves);
    Used used = used(tls);
    if (ownExecutor) {
      return new Factory(made, used);
    }
    TaskRelay relay = new TaskRelay(GrpcUtil.SHARED_CHANNEL_EXECUTOR);
    relay.begin();
    delegate.executor(relay); // the channel asks for it next
    return new Factory(made, used.releasing(relay::end));
  }

  /** A client, and the way to release it. */
  private record Used(VerbenaClient client, Runnable release) {
    Used releasing(Runnable further) {
      return new Used(
          client,
          () -> {
            release.run();
            further.run();
          });
    }
  }

  private @Nullable TlsOptions tls() {
    if (credentials != null) {
      return Credentials.channel(credentials).tls();
    }
    return plaintext || client != null
        ? null
        : Credentials.channel(TlsChannelCredentials.create()).tls();
  }

  private Used used(@Nullable TlsOptions tls) {
    VerbenaClient given = client;
    if (given != null) {
      return new Used(given, () -> {});
    }
    Consumer<? super VerbenaClient.Builder> settings = engine;
    if (settings == null && tls == null) {
      VerbenaClient shared = SharedResourceHolder.get(Defaults.CLIENT);
      return new Used(shared, () -> SharedResourceHolder.release(Defaults.CLIENT, shared));
    }
    VerbenaClient.Builder builder = VerbenaClient.builder().limits(Defaults.LIMITS);
    if (tls != null) {
      builder.tls(tls);
    }
    if (settings != null) {
      settings.accept(builder);
    }
    VerbenaClient own = builder.build();
    return new Used(own, own::close);
  }

  private static final class Factory implements ClientTransportFactory {
    private final GrpcChannelSettings settings;
    private final Used used;
    private final ScheduledExecutorService timer = SharedResourceHolder.get(GrpcUtil.TIMER_SERVICE);
    private boolean closed;

    Factory(GrpcChannelSettings settings, Used used) {
      this.settings = settings;
      this.used = used;
    }

    @Override
    public ConnectionClientTransport newClientTransport(
        SocketAddress address, ClientTransportOptions options, ChannelLogger logger) {
      if (closed) {
        throw new IllegalStateException("the transport factory is closed");
      }
      return new ClientTransport(VerbenaAddress.of(address), used.client, settings, options);
    }

    @Override
    public ScheduledExecutorService getScheduledExecutorService() {
      return timer;
    }

    @Override
    public @Nullable SwapChannelCredentialsResult swapChannelCredentials(
        ChannelCredentials credentials) {
      return null;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getSupportedSocketAddressTypes() {
      return List.of(VerbenaAddress.class, InetSocketAddress.class);
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        SharedResourceHolder.release(GrpcUtil.TIMER_SERVICE, timer);
        used.release.run();
      }
    }
  }
}
