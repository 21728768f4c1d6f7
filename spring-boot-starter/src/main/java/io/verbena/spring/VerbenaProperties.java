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
 * The properties {@code verbena.*}. What is null leaves Verbena's own default.
 *
 * @param enabled Whether there is anything of Verbena in the application.
 * @param server The server of the beans with VerbenaService.
 * @param client The client that all channels share, and what is true of all of them.
 * @param rdma How the links of both use RDMA devices.
 * @param clients Where the servers of each client are, and what differs for it, by its name.
 */
@ConfigurationProperties(prefix = "verbena", ignoreUnknownFields = false)
public record VerbenaProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue Server server,
    @DefaultValue Client client,
    @DefaultValue Rdma rdma,
    @DefaultValue Map<String, Remote> clients) {
  /** What the server and the client have alike. */
  public sealed interface End {
    /** Returns which path calls may take. */
    @Nullable PathPolicy path();

    /** Returns whether a session may leave TLS for RDMA. */
    boolean allowPlaintextRdma();

    /** Returns how long opening a session may take. */
    @Nullable Duration connectTimeout();

    /** Returns how many event loops there are. */
    @Nullable Integer loops();

    /** Returns from which length on messages are compressed. */
    @Nullable DataSize compressFrom();

    /** Returns what it may take of memory. */
    Memory memory();

    /** Returns what each session allows. */
    Limits limits();
  }

  /**
   * The server.
   *
   * @param enabled Whether beans with VerbenaService are served.
   * @param listen Where it listens: host:port, tcp://host:port or mem://name. Port 0 is any that is
   *     free.
   * @param drainTime How long calls under way have to end when the application stops. Default 5s.
   * @param maxSessions How many sessions there may be at once. Default 10000.
   * @param tellContracts Whether clients without a contract may read what is served. Default:
   *     unless there is a ClientAuthenticator.
   * @param accessLog Whether each call that is served is logged, to the logger verbena.access.
   * @param health Whether peers are told if the application takes calls: its readiness and
   *     liveness.
   * @param path Which path calls may take. Default prefer-rdma.
   * @param allowPlaintextRdma Whether a session may leave TLS for RDMA.
   * @param connectTimeout How long opening a session may take. Default 5s.
   * @param loops How many event loops there are. Default: as many as processors, at most 8.
   * @param compressFrom From which length on messages are compressed, for clients that set it too.
   *     Default: none is.
   * @param tls Its key, and whom it trusts.
   * @param memory What it may take of memory.
   * @param limits What each session allows.
   * @param concurrency How many calls run at once, of all sessions together.
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
   * The client that all channels share. What stands for each channel may be set for one alone, by
   * the same name in {@code verbena.clients.NAME}.
   *
   * @param token What servers are shown to prove who this is.
   * @param path Which path calls may take. Default prefer-rdma.
   * @param allowPlaintextRdma Whether a session may leave TLS for RDMA.
   * @param connectTimeout How long opening a session may take. Default 5s.
   * @param loops How many event loops there are at most. Default: as many as processors, at most 8.
   * @param compressFrom From which length on messages are compressed, for servers that set it too.
   *     Default: none is.
   * @param tls Its key, and whom it trusts.
   * @param memory What it may take of memory.
   * @param limits What each session allows.
   * @param timeout The deadline of each call. Default: the method's own, else
   *     limits.default-timeout.
   * @param balancer Which server a call goes to. Default round-robin.
   * @param waitForReady Whether calls wait until their deadline while no server takes them. Default
   *     false: they fail at once.
   * @param hedgeAfter After how long an idempotent call is made once more, at another server.
   *     Default: never.
   * @param attempts How often a call is made at most where that is safe. Default 3.
   * @param zone Servers of which zone are preferred.
   * @param subset With how many servers there are sessions at most.
   * @param health Whether servers are left out that say that they are not ready.
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
   * One client: where its servers are, and what differs from {@link Client}.
   *
   * @param target Where its servers are: host:port, several of them with commas between, or
   *     dns:///name:port, static:host:port, or what else is on the class path. Default
   *     verbena:///NAME.
   * @param authority With TLS, the host's name that the servers' certificates must have. Default:
   *     the name in the target.
   * @param timeout The deadline of each call.
   * @param balancer Which server a call goes to.
   * @param waitForReady Whether calls wait until their deadline while no server takes them.
   * @param hedgeAfter After how long an idempotent call is made once more, at another server.
   * @param attempts How often a call is made at most where that is safe.
   * @param zone Servers of which zone are preferred.
   * @param subset With how many servers there are sessions at most.
   * @param health Whether servers are left out that say that they are not ready.
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
   * How links use RDMA devices.
   *
   * @param device Which devices and addresses: a device's name, perhaps with :PORT, or some of
   *     device, port, gid, type, family, netdev and subnet, as netdev=eth1,type=roce-v2. Default:
   *     any.
   * @param trafficClass The traffic class of the packets, 0 to 255: DSCP times 4, and two bits of
   *     ECN. Default: the host's own.
   * @param numa Whether, on a host of several NUMA nodes, event loops run on that of their device.
   *     Default true.
   * @param rails Most links of one session, each over an adapter of its own at both ends. Default
   *     4.
   */
  public record Rdma(
      @Nullable String device,
      @Nullable Integer trafficClass,
      @Nullable Boolean numa,
      @Nullable Integer rails) {}

  /** Which server a call goes to. More of them by a {@link VerbenaChannelCustomizer}. */
  public enum BalancerKind {
    /** The next. */
    ROUND_ROBIN,
    /** The first that is there: the others stand by. */
    PICK_FIRST,
    /** Where the fewest calls are under way. */
    LEAST_IN_FLIGHT,
    /** By chance, as often as the endpoint's weight says. */
    WEIGHTED
  }

  /**
   * Whether servers are asked if they are ready.
   *
   * @param enabled Whether servers are asked if they take calls, and left out while they do not.
   *     Default true.
   * @param service Of which service servers are asked. Default: of the server as a whole.
   * @param period How often each server is asked. Default 5s.
   */
  public record HealthCheck(
      @Nullable Boolean enabled, @Nullable String service, @Nullable Duration period) {}

  /**
   * PEM files, which may be replaced while the application runs.
   *
   * @param certificate The server's certificate, and those that signed it: BEGIN CERTIFICATE
   *     blocks.
   * @param privateKey The key of the certificate: a BEGIN PRIVATE KEY block, not encrypted.
   * @param trust Certificates that the server trusts; clients must show one where this is set.
   */
  public record ServerTls(
      @Nullable Path certificate, @Nullable Path privateKey, @Nullable Path trust) {}

  /**
   * PEM files, which may be replaced while the application runs.
   *
   * @param certificate The client's certificate, and those that signed it, where servers ask for
   *     one.
   * @param privateKey The key of the certificate: a BEGIN PRIVATE KEY block, not encrypted.
   * @param trust Certificates that the client trusts, instead of those that the JDK does.
   */
  public record ClientTls(
      @Nullable Path certificate, @Nullable Path privateKey, @Nullable Path trust) {}

  /**
   * Memory, of all sessions together.
   *
   * @param slots Memory for messages on their way. Default 32MB.
   * @param assembly Memory for long messages and large arrays while they arrive. Default: a quarter
   *     of the heap.
   * @param replies Memory for long results that callers have yet to take. Default: a quarter of the
   *     heap.
   * @param bulk Memory for large objects and values, outside the heap. Default 512MB.
   */
  public record Memory(
      @Nullable DataSize slots,
      @Nullable DataSize assembly,
      @Nullable DataSize replies,
      @Nullable DataSize bulk) {}

  /**
   * How many calls a server runs at once: as many as their latency says.
   *
   * @param enabled Whether calls are refused that the server has no time for, of low priority
   *     first.
   * @param initial How many calls may run at once at the start. Default 20.
   * @param least The limit falls no lower. Default 4.
   * @param most The limit rises no higher. Default 1000.
   * @param normalShare Which part of the limit calls without a priority may fill. Default 0.8.
   * @param backgroundShare Which part of the limit background calls may fill. Default 0.5.
   * @param exempt Methods that do not count, as service/method: those that wait for an event.
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
   * @param enabled Whether the server speaks HTTP and JSON at its port, too.
   * @param page Whether there is a page at /, and the document at /openapi.json.
   * @param hosts Names by which the server may be asked, besides its own. Default: none, and any
   *     where there is a ClientAuthenticator.
   * @param maxRequest The longest body of a request. Default 1MB.
   * @param maxResponse The longest result, or item of a stream. Default 16MB.
   * @param requestMemory Memory for the bodies of all requests. Default: a quarter of the heap.
   * @param requestTime How long a client may take to send a request's head, and its body. Default
   *     10s.
   * @param idleTime How long a connection may be open without a request. Default 60s.
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
   * What each session allows.
   *
   * @param defaultTimeout The deadline of a call whose method and caller set none. Default 15s.
   * @param maxCalls Calls under way at once, each way. Default 1024.
   * @param maxMessage The longest request or reply to accept. Default 64MB.
   * @param maxDepth How deeply records may nest in a message. Default 256.
   * @param maxKept Replies kept for a peer that has not acknowledged them. Default 256MB.
   * @param pingInterval How long a silent link is trusted. Default 2s.
   * @param deadAfter How long a link may be silent before it is given up. Default 6s.
   * @param leastPingInterval How often at most the peer asks for a sign of life. Default 100ms.
   * @param resumeWindow How long a session without a link waits for a new one. Default 5s.
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
