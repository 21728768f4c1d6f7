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
   * @param listen The address to listen at: host:port, tcp://host:port or mem://name. Port 0 means
   *     any free port.
   * @param drainTime The time that calls under way have to end when the application stops. Default
   *     5s.
   * @param maxSessions The largest number of open sessions. Default 10000.
   * @param tellContracts Whether clients without a contract may read the contracts that are served.
   *     Default: true, unless there is a ClientAuthenticator.
   * @param accessLog Whether each served call is logged, by the logger verbena.access.
   * @param health Whether clients may ask if the application takes calls (its readiness and
   *     liveness).
   * @param path The paths that calls may take. Default prefer-rdma.
   * @param allowPlaintextRdma Whether a session may leave TLS for RDMA.
   * @param connectTimeout The time limit for opening a session. Default 5s.
   * @param loops The number of event loops. Default: as many as processors, at most 8.
   * @param compressFrom Messages from this length on are compressed, for peers that set it too.
   *     Default: no compression.
   * @param tls Its key, and the certificates that it trusts.
   * @param memory Limits of its memory.
   * @param limits Limits of each session.
   * @param concurrency The limit of calls that run at once, over all sessions.
   * @param http HTTP and JSON at its port.
   */
  public record Server(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("0.0.0.0:7400") String listen,
      @Nullable Duration drainTime,
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
      @DefaultValue Http http)
      implements End {}

  /**
   * The client that all channels share. The settings of channels may be set for one channel alone,
   * by the same name in {@code verbena.clients.NAME}.
   *
   * @param token The token that identifies the client to servers.
   * @param path The paths that calls may take. Default prefer-rdma.
   * @param allowPlaintextRdma Whether a session may leave TLS for RDMA.
   * @param connectTimeout The time limit for opening a session. Default 5s.
   * @param loops The largest number of event loops. Default: as many as processors, at most 8.
   * @param compressFrom Messages from this length on are compressed, for peers that set it too.
   *     Default: no compression.
   * @param tls Its key, and the certificates that it trusts.
   * @param memory Limits of its memory.
   * @param limits Limits of each session.
   * @param timeout The deadline of each call. Default: the method's own, else
   *     limits.default-timeout.
   * @param balancer The rule by which calls choose a server. Default round-robin.
   * @param waitForReady Whether calls wait for a server until their deadline. Default false: they
   *     fail at once.
   * @param hedgeAfter The time without an answer after which an idempotent call is also made at
   *     another server. Default: never.
   * @param attempts The largest number of attempts of a call, if further attempts are safe. Default
   *     3.
   * @param zone The zone whose servers are preferred.
   * @param subset The largest number of servers to have sessions with.
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
      @Nullable BalancerKind balancer,
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
   * @param authority With TLS, the host name that the servers' certificates must have. Default: the
   *     name in the target.
   * @param timeout The deadline of each call.
   * @param balancer The rule by which calls choose a server.
   * @param waitForReady Whether calls wait for a server until their deadline.
   * @param hedgeAfter The time without an answer after which an idempotent call is also made at
   *     another server.
   * @param attempts The largest number of attempts of a call, if further attempts are safe.
   * @param zone The zone whose servers are preferred.
   * @param subset The largest number of servers to have sessions with.
   * @param health Settings of the servers' health.
   */
  public record Remote(
      @Nullable String target,
      @Nullable String authority,
      @Nullable Duration timeout,
      @Nullable BalancerKind balancer,
      @Nullable Boolean waitForReady,
      @Nullable Duration hedgeAfter,
      @Nullable Integer attempts,
      @Nullable String zone,
      @Nullable Integer subset,
      @DefaultValue HealthCheck health) {}

  /**
   * The use of RDMA devices.
   *
   * @param device The devices and addresses to use: a device's name, perhaps with :PORT, or some of
   *     device, port, gid, type, family, netdev and subnet, such as netdev=eth1,type=roce-v2.
   *     Default: any.
   * @param trafficClass The traffic class of the packets, 0 to 255: DSCP times 4, and two bits of
   *     ECN. Default: the host's own.
   * @param numa Whether, on a host of several NUMA nodes, event loops run on the node of their
   *     device. Default true.
   * @param rails The largest number of links of one session, each over an adapter of its own at
   *     both ends. Default 4.
   */
  public record Rdma(
      @Nullable String device,
      @Nullable Integer trafficClass,
      @Nullable Boolean numa,
      @Nullable Integer rails) {}

  /** The rule by which calls choose a server. A {@link VerbenaChannelCustomizer} can set others. */
  public enum BalancerKind {
    /** Servers take turns. */
    ROUND_ROBIN,
    /** The first server that takes calls; the others stand by. */
    PICK_FIRST,
    /** The server with the fewest calls under way. */
    LEAST_IN_FLIGHT,
    /** A random server, in proportion to the endpoints' weights. */
    WEIGHTED
  }

  /**
   * Settings of the servers' health.
   *
   * @param enabled Whether servers are asked if they take calls. Those that do not are left out.
   *     Default true.
   * @param service The service that servers are asked about. Default: the server as a whole.
   * @param period The time between two questions to a server. Default 5s.
   */
  public record HealthCheck(
      @Nullable Boolean enabled, @Nullable String service, @Nullable Duration period) {}

  /**
   * PEM files, which may be replaced while the application runs.
   *
   * @param certificate The server's certificate, and those that signed it, as BEGIN CERTIFICATE
   *     blocks.
   * @param privateKey The key of the certificate, as a BEGIN PRIVATE KEY block that is not
   *     encrypted.
   * @param trust Certificates that the server trusts. If this is set, clients must show a
   *     certificate.
   */
  public record ServerTls(
      @Nullable Path certificate, @Nullable Path privateKey, @Nullable Path trust) {}

  /**
   * PEM files, which may be replaced while the application runs.
   *
   * @param certificate The client's certificate, and those that signed it, for servers that ask for
   *     one.
   * @param privateKey The key of the certificate, as a BEGIN PRIVATE KEY block that is not
   *     encrypted.
   * @param trust Certificates that the client trusts, instead of the JDK's.
   */
  public record ClientTls(
      @Nullable Path certificate, @Nullable Path privateKey, @Nullable Path trust) {}

  /**
   * Memory limits, over all sessions.
   *
   * @param slots Memory for messages on their way. Default 32MB.
   * @param assembly Memory for long messages and large arrays while they arrive. Default: a quarter
   *     of the heap.
   * @param replies Memory for long results until callers take them. Default: a quarter of the heap.
   * @param bulk Memory for large objects and values, outside the heap. Default 512MB.
   */
  public record Memory(
      @Nullable DataSize slots,
      @Nullable DataSize assembly,
      @Nullable DataSize replies,
      @Nullable DataSize bulk) {}

  /**
   * The limit of calls that a server runs at once, which follows their latency.
   *
   * @param enabled Whether an overloaded server refuses calls, those of low priority first.
   * @param initial The limit at the start. Default 20.
   * @param least The limit falls no lower. Default 4.
   * @param most The limit rises no higher. Default 1000.
   * @param normalShare The part of the limit that calls without a priority may fill. Default 0.8.
   * @param backgroundShare The part of the limit that background calls may fill. Default 0.5.
   * @param exempt Methods that do not count, as service/method, such as those that wait for an
   *     event.
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
   * @param page Whether the server has a page at /, and its OpenAPI document at /openapi.json.
   * @param hosts Host names that requests may use, besides the server's own. Default: none; any if
   *     there is a ClientAuthenticator.
   * @param maxRequest The size limit of a request's body. Default 1MB.
   * @param maxResponse The size limit of a result, or of an item of a stream. Default 16MB.
   * @param requestMemory Memory for the bodies of all requests. Default: a quarter of the heap.
   * @param requestTime The time limit for a request's head, and for its body. Default 10s.
   * @param idleTime The longest time that a connection may be open without a request. Default 60s.
   */
  public record Http(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("true") boolean page,
      @DefaultValue Set<String> hosts,
      @Nullable DataSize maxRequest,
      @Nullable DataSize maxResponse,
      @Nullable DataSize requestMemory,
      @Nullable Duration requestTime,
      @Nullable Duration idleTime) {}

  /**
   * Limits of each session.
   *
   * @param defaultTimeout The deadline of a call whose method and caller set none. Default 15s.
   * @param maxCalls The limit of calls under way, in each direction. Default 1024.
   * @param maxMessage The size limit of a request or reply. Default 64MB.
   * @param maxDepth The deepest nesting of records in a message. Default 256.
   * @param maxKept The size of replies kept until the peer acknowledges them. Default 256MB.
   * @param pingInterval The time of silence after which a link is pinged. Default 2s.
   * @param deadAfter The time of silence after which a link is given up. Default 6s.
   * @param leastPingInterval The shortest ping interval that a peer may use. Default 100ms.
   * @param resumeWindow The time that a session without a link waits for a new one. Default 5s.
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
