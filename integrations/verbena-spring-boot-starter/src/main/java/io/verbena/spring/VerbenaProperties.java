package io.verbena.spring;

import io.verbena.core.PathPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code verbena.*}. A null means Verbena's own default.
 *
 * @param enabled Whether the application uses Verbena.
 * @param server The server of the beans with VerbenaService.
 * @param client The client that all channels share, and settings for all of them.
 * @param rdma The use of RDMA devices, by both.
 * @param clients The servers of each client, and its own settings, by its name.
 */
@ConfigurationProperties(prefix = "verbena", ignoreUnknownFields = false)
public record VerbenaProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue Server server,
    @DefaultValue Client client,
    @DefaultValue Rdma rdma,
    @DefaultValue Map<String, Remote> clients) {
  /** Settings that the server and the client share. */
  public sealed interface End {
    /** Returns the paths that calls may take. */
    @Nullable PathPolicy path();

    /** Returns whether a session may leave TLS for RDMA. */
    boolean allowPlaintextRdma();

    /** Returns the time limit for opening a session. */
    @Nullable Duration connectTimeout();

    /** Returns the number of event loops. */
    @Nullable Integer loops();

    /** Returns the length from which messages are compressed. */
    @Nullable DataSize compressFrom();

    /** Returns the limits of its memory. */
    Memory memory();

    /** Returns the limits of each session. */
    Limits limits();
  }

  /**
   * The server.
   *
   * @param enabled Whether beans with VerbenaService are served.
   * @param listen The address to listen at. Port 0 means any free port.
   * @param drainTime The time that running calls have to end when the application stops.
   * @param maxSessions The most open sessions. Default 10000.
   * @param tellContracts Whether clients may read contracts that they do not have. Default: true,
   *     unless there is a ClientAuthenticator.
   * @param accessLog Whether each served call is logged.
   * @param health Whether clients may ask for the application's readiness and liveness.
   * @param path The paths that calls may take. Default prefer-rdma.
   * @param allowPlaintextRdma Whether a session may leave TLS for RDMA.
   * @param connectTimeout The longest time for opening a session. Default 5s.
   * @param loops The number of event loops. Default: as many as processors, at most 8.
   * @param compressFrom The length from which messages are compressed, if the peer sets it too.
   *     Default: no compression.
   * @param tls Its key, and the certificates that it trusts.
   * @param memory Limits of its memory.
   * @param limits Limits of each session.
   * @param concurrency The limit of calls that run at once, over all sessions.
   * @param http HTTP and JSON at its port.
   * @param grpc Whether services of gRPC are served at its port, too.
   */
  public record Server(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("0.0.0.0:7400") String listen,
      @DefaultValue("5s") Duration drainTime,
      @Nullable Integer maxSessions,
      @Nullable Boolean tellContracts,
      @DefaultValue("false") boolean accessLog,
      @DefaultValue("true") boolean health,
      @Nullable PathPolicy path,
      @DefaultValue("false") boolean allowPlaintextRdma,
      @Nullable Duration connectTimeout,
      @Nullable Integer loops,
      @Nullable DataSize compressFrom,
      @DefaultValue ServerTls tls,
      @DefaultValue Memory memory,
      @DefaultValue Limits limits,
      @DefaultValue Concurrency concurrency,
      @DefaultValue Http http,
      @DefaultValue("true") boolean grpc)
      implements End {}

  /**
   * The client that all channels share. The settings of channels may be set for one channel alone,
   * by the same name in {@code verbena.clients.NAME}.
   *
   * @param token The client's token.
   * @param path The paths that calls may take. Default prefer-rdma.
   * @param allowPlaintextRdma Whether a session may leave TLS for RDMA.
   * @param connectTimeout The longest time for opening a session. Default 5s.
   * @param loops The number of event loops. Default: as many as processors, at most 8.
   * @param compressFrom The length from which messages are compressed, if the peer sets it too.
   *     Default: no compression.
   * @param tls Its key, and the certificates that it trusts.
   * @param memory Limits of its memory.
   * @param limits Limits of each session.
   * @param timeout The deadline of each call. Default: the method's own, else
   *     limits.default-timeout.
   * @param balancer The rule by which calls choose a server, or the name of a bean of type
   *     Balancer. Default round-robin.
   * @param waitForReady Whether calls wait for a server until their deadline. Default false.
   * @param hedgeAfter The time after which an idempotent call is also made at another server.
   *     Default: never.
   * @param attempts The most attempts of a call. Default 3.
   * @param zone The zone whose servers are preferred.
   * @param subset The number of servers with sessions. Default: all.
   * @param health Settings of the servers' health.
   */
  public record Client(
      @Nullable String token,
      @Nullable PathPolicy path,
      @DefaultValue("false") boolean allowPlaintextRdma,
      @Nullable Duration connectTimeout,
      @Nullable Integer loops,
      @Nullable DataSize compressFrom,
      @DefaultValue ClientTls tls,
      @DefaultValue Memory memory,
      @DefaultValue Limits limits,
      @Nullable Duration timeout,
      @Nullable String balancer,
      @Nullable Boolean waitForReady,
      @Nullable Duration hedgeAfter,
      @Nullable Integer attempts,
      @Nullable String zone,
      @Nullable Integer subset,
      @DefaultValue HealthCheck health)
      implements End {}

  /**
   * One client: its servers, and its settings that differ from {@link Client}.
   *
   * @param target The servers' addresses: host:port, several of them separated by commas,
   *     dns:///name:port, static:host:port, or a target of another resolver on the class path.
   *     Default verbena:///NAME.
   * @param authority With TLS, the name that the servers' certificates must have. Default: the name
   *     in the target.
   * @param timeout The deadline of each call.
   * @param balancer The rule by which calls choose a server, or the name of a bean of type
   *     Balancer.
   * @param waitForReady Whether calls wait for a server until their deadline.
   * @param hedgeAfter The time after which an idempotent call is also made at another server.
   * @param attempts The most attempts of a call.
   * @param zone The zone whose servers are preferred.
   * @param subset The number of servers with sessions. Default: all.
   * @param health Settings of the servers' health.
   */
  public record Remote(
      @Nullable String target,
      @Nullable String authority,
      @Nullable Duration timeout,
      @Nullable String balancer,
      @Nullable Boolean waitForReady,
      @Nullable Duration hedgeAfter,
      @Nullable Integer attempts,
      @Nullable String zone,
      @Nullable Integer subset,
      @DefaultValue HealthCheck health) {}

  /**
   * The use of RDMA devices.
   *
   * @param device The devices and addresses to use, such as mlx5_0:1 or netdev=eth1,type=roce-v2.
   *     Default: any.
   * @param trafficClass The traffic class of the packets, 0 to 255. Default: the host's own.
   * @param rails The most links of a session, each over its own adapter. Default 4.
   */
  public record Rdma(
      @Nullable String device, @Nullable Integer trafficClass, @Nullable Integer rails) {}

  /**
   * Settings of the servers' health.
   *
   * @param enabled Whether calls avoid servers that are not ready. Default true.
   * @param service The service that is checked. Default: the server as a whole.
   * @param period The time between two checks of a server. Default 5s.
   */
  public record HealthCheck(
      @Nullable Boolean enabled, @Nullable String service, @Nullable Duration period) {}

  /**
   * PEM files, which may be replaced while the application runs.
   *
   * @param certificate The server's certificate and its chain, as PEM.
   * @param privateKey The key of the certificate, as PEM, not encrypted.
   * @param trust Certificates that the server trusts. If set, clients must show one.
   */
  public record ServerTls(
      @Nullable Path certificate, @Nullable Path privateKey, @Nullable Path trust) {}

  /**
   * PEM files, which may be replaced while the application runs.
   *
   * @param certificate The client's certificate and its chain, for servers that ask for one.
   * @param privateKey The key of the certificate, as PEM, not encrypted.
   * @param trust Certificates that the client trusts. Default: the JDK's.
   */
  public record ClientTls(
      @Nullable Path certificate, @Nullable Path privateKey, @Nullable Path trust) {}

  /**
   * Memory limits, over all sessions.
   *
   * @param slots Memory for messages on their way. Default 32MB.
   * @param assembly Memory for long messages and large arrays on arrival. Default: a quarter of the
   *     heap.
   * @param replies Memory for long results. Default: a quarter of the heap.
   * @param bulk Memory outside the heap for large objects and values. Default 512MB.
   */
  public record Memory(
      @Nullable DataSize slots,
      @Nullable DataSize assembly,
      @Nullable DataSize replies,
      @Nullable DataSize bulk) {}

  /**
   * The limit of calls that a server runs at once, which follows their latency.
   *
   * @param enabled Whether an overloaded server refuses calls.
   * @param initial The limit at the start. Default 20.
   * @param least The limit falls no lower. Default 4.
   * @param most The limit rises no higher. Default 1000.
   * @param normalShare The part of the limit that calls without a priority may fill. Default 0.8.
   * @param backgroundShare The part of the limit that background calls may fill. Default 0.5.
   * @param exempt Methods that do not count, as service/method.
   */
  public record Concurrency(
      @DefaultValue("false") boolean enabled,
      @Nullable Integer initial,
      @Nullable Integer least,
      @Nullable Integer most,
      @Nullable Double normalShare,
      @Nullable Double backgroundShare,
      @DefaultValue List<String> exempt) {}

  /**
   * HTTP and JSON at the server's port.
   *
   * @param enabled Whether the server also speaks HTTP and JSON at its port.
   * @param page Whether the server has the page / and /openapi.json.
   * @param hosts Further host names of the server. Default: none; any if there is a
   *     ClientAuthenticator.
   * @param origins Other origins whose pages may call, such as https://shop.example. Default: none.
   * @param longsAsText Whether long numbers are strings in answers.
   * @param proxyProtocol Whether connections may begin with a header of the PROXY protocol.
   * @param maxRequest The longest body of a request. Default 1MB.
   * @param maxResponse The longest result or item of a stream. Default 16MB.
   * @param requestMemory Memory for the bodies of all requests and answers. Default: an eighth of
   *     the heap.
   * @param requestTime The time for a request's head, and for its body. Default 10s.
   * @param idleTime The longest time of a connection without a request. Default 60s.
   */
  public record Http(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("true") boolean page,
      @DefaultValue Set<String> hosts,
      @DefaultValue Set<String> origins,
      @DefaultValue("false") boolean longsAsText,
      @DefaultValue("false") boolean proxyProtocol,
      @Nullable DataSize maxRequest,
      @Nullable DataSize maxResponse,
      @Nullable DataSize requestMemory,
      @Nullable Duration requestTime,
      @Nullable Duration idleTime) {}

  /**
   * Limits of each session.
   *
   * @param defaultTimeout The deadline of a call whose method and caller set none. Default 15s.
   * @param maxCalls The most concurrent calls, in each direction. Default 1024.
   * @param maxMessage The longest request or reply. Default 64MB.
   * @param maxDepth The deepest nesting of records in a message. Default 256.
   * @param maxKept Replies kept until the peer acknowledges them. Default 256MB.
   * @param pingInterval The silence after which a link is pinged. Default 2s.
   * @param deadAfter The silence after which a link is closed. Default 6s.
   * @param leastPingInterval The shortest ping interval that a peer may use. Default 100ms.
   * @param resumeWindow The time that a session waits for a new link. Default 5s.
   */
  public record Limits(
      @Nullable Duration defaultTimeout,
      @Nullable Integer maxCalls,
      @Nullable DataSize maxMessage,
      @Nullable Integer maxDepth,
      @Nullable DataSize maxKept,
      @Nullable Duration pingInterval,
      @Nullable Duration deadAfter,
      @Nullable Duration leastPingInterval,
      @Nullable Duration resumeWindow) {}
}
